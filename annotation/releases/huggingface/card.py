"""The card of a release for the Hugging Face Hub: `README.md`, with a header that the Hub and `datasets` read."""

import json
from collections.abc import Iterator, Sequence

from ...kinds.registry import name_of
from ...models import Release
from ..datasheets.datasheet import Tally, datasheet, escaped, markdown
from ..datasheets.licences import common_licence, languages_of, licence_words, licences_of
from ..files.tables import Table

SPLIT = "test"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_TAGS = ("wikipedia", "contradiction", "knowledge-conflicts", "retrieval-augmented-generation")
CITATION = """\
@inproceedings{hou2024wikicontradict,
  title = {{WikiContradict}: A Benchmark for Evaluating {LLMs} on Real-World Knowledge Conflicts from {Wikipedia}},
  author = {Hou, Yufang and Pascale, Alessandra and Carnerero-Cano, Javier and Tchrakian, Tigran and Marinescu, Radu and Daly, Elizabeth and Padhi, Inkit and Sattigeri, Prasanna},
  booktitle = {Advances in Neural Information Processing Systems 37, Datasets and Benchmarks Track},
  year = {2024}
}"""  # noqa: E501


def file_of(table: Table) -> str:
    """The table's file, as `datasets` finds the rows of a split."""
    return f"{table.name}/{SPLIT}-00000-of-00001.parquet"


def title_of(release: Release) -> str:
    return f"{name_of(release.benchmark)}, release {release.number}: {release.name}"


def card(release: Release, tally: Tally, written: Sequence[tuple[Table, int]]) -> str:
    """`written` are the tables that the folder has, with their numbers of rows; the first is the benchmark."""
    blocks = [
        "\n".join(_header(release, tally, written)),
        f"# {escaped(title_of(release))}",
        _load(written),
        *(_table(table, rows) for table, rows in written),
        _licence(release, tally),
        f"## Citation\n\nThe method is that of\n\n```bibtex\n{CITATION}\n```",
        markdown(datasheet(release, tally), level=2),
    ]
    return "\n\n".join(blocks)


def _header(release: Release, tally: Tally, written: Sequence[tuple[Table, int]]) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {_quoted(title_of(release))}"
    if languages := languages_of(tally.wikis):
        yield "language:"
        yield from (f"- {_quoted(language)}" for language in languages)
    yield f"license: {common_licence(licences_of(release, tally.wikis)).code}"
    yield "task_categories:\n- question-answering"
    yield "size_categories:\n- " + _size(written[0][1])
    yield "tags:"
    yield from (f"- {tag}" for tag in _TAGS)
    yield "configs:"
    for number, (table, _) in enumerate(written):
        yield f"- config_name: {table.name}"
        if not number:
            yield "  default: true"
        yield f"  data_files:\n  - split: {SPLIT}\n    path: {file_of(table)}"
    yield "---"


def _quoted(text: str) -> str:
    """A person's text in YAML: a quoted string is as in JSON there, but must be printable."""
    return json.dumps("".join(each if each.isprintable() else " " for each in text), ensure_ascii=False)


def _size(rows: int) -> str:
    return next((words for limit, words in _SIZES if rows < limit), "n>1M")


def _load(written: Sequence[tuple[Table, int]]) -> str:
    lines = [
        "from datasets import load_dataset",
        "",
        'where = "..."  # this folder, or the name of the data set on the Hub',
        *(f'{table.name} = load_dataset(where, "{table.name}", split="{SPLIT}")' for table, _ in written),
    ]
    return "```python\n" + "\n".join(lines) + "\n```"


def _table(table: Table, rows: int) -> str:
    columns = (f"- `{column.name}` ({column.kind.value}): {column.words}" for column in table.columns)
    return "\n".join([f"## {table.name}: {rows:,} rows", "", table.words, "", *columns])


def _licence(release: Release, tally: Tally) -> str:
    words = licence_words(licences_of(release, tally.wikis))
    return f"## Licence\n\n{escaped(' '.join(words))}"
