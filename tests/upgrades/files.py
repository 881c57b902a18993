"""The files that come out of a database and that no upgrade may change, by their checksums."""

import hashlib
import io

from django.core.management import call_command

REPORTS = ("table1", "table2", "table3", "table4", "table6", "agreement", "cost")
FORMS = ("json", "csv", "jsonl")


def file_sums() -> dict[str, str]:
    """The SHA-256 of each export of release 1 and of each report as JSON."""
    exported = {f"release 1 as {form}": _sum("export_release", release=1, format=form) for form in FORMS}
    return exported | {f"report {name}": _sum("report", name, format="json") for name in REPORTS}


def _sum(command: str, *arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out, **options)
    return hashlib.sha256(out.getvalue().encode()).hexdigest()
