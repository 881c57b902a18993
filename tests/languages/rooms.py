"""The parts of the program whose texts stay English."""

# For programs and terminals; the published guideline; pages that go out as files; and code that goes out with
# tasks for other programs, where there are no catalogs.
ENGLISH = (
    "annotation/api/",
    "annotation/management/",
    "benchmarks/conflictbank/api/",
    "benchmarks/conflictbank/management/",
    "benchmarks/wikicontradict/protocol/",
    "core/api/",
    "core/keeping/",
    "core/management/",
    "judging/api/",
    "judging/management/",
    "judging/protocol/",
    "review/api/",
    "review/management/",
    "templates/annotation/guideline/",
    "templates/contradoc/site/",
    "templates/review/site/",
    "templates/wikicontradict/site/",
)
