"""The files that come out of a database and that no upgrade may change, by their checksums."""

import hashlib
import io
import json

from django.core.management import call_command

REPORTS = ("table1", "table2", "table3", "table4", "table6", "agreement", "cost")
FORMS = ("json", "csv", "jsonl")


def file_sums() -> dict[str, str]:
    """The SHA-256 of each export of release 1 and of each report as JSON, its numbers to ten digits: processors add
    in different orders, and differ in the last ones.
    """
    exported = {f"release 1 as {form}": _sum(_said("export_release", release=1, format=form)) for form in FORMS}
    reports = {name: json.loads(_said("report", name, format="json"), parse_float=_to_ten_digits) for name in REPORTS}
    return exported | {f"report {name}": _sum(json.dumps(report)) for name, report in reports.items()}


def _to_ten_digits(number: str) -> float:
    return float(f"{float(number):.10g}")


def _said(command: str, *arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out, **options)
    return out.getvalue()


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
