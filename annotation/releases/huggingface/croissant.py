"""The description of a release's files in Croissant 1.0 (https://docs.mlcommons.org/croissant/), `croissant.json`."""

import json
from collections.abc import Sequence
from typing import Any

from ...models import Release
from ..datasheets.datasheet import Tally
from ..datasheets.licences import common_licence, languages_of, licences_of
from ..files.tables import Column, Kind, Table
from .card import CITATION, SPLIT, file_of, title_of

_TYPES = {
    Kind.TEXT: "sc:Text",
    Kind.TEXTS: "sc:Text",
    Kind.WHOLE_NUMBER: "sc:Integer",
    Kind.NUMBER: "sc:Float",
    Kind.YES_NO: "sc:Boolean",
    Kind.TIME: "sc:DateTime",
}
# Prescribed by the format.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        name: f"cr:{name}"
        for name in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet"),
            *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
            "transform",
        )
    },
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}


def croissant(release: Release, tally: Tally, written: Sequence[tuple[Table, str]]) -> str:
    """`written` are the tables that the folder has, with the SHA-256 of each file."""
    licence = common_licence(licences_of(release, tally.wikis))
    description = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{release.benchmark}-release-{release.number}",
        "alternateName": title_of(release),
        "description": release.notes or written[0][0].words,
        "license": licence.url or licence.name,
        "url": ".",
        "version": f"{release.number}.0.0",
        "datePublished": f"{release.created_at:%Y-%m-%d}",
        "inLanguage": languages_of(tally.wikis),
        "identifier": release.content_hash,
        "citeAs": CITATION,
        "distribution": [_file(table, checksum) for table, checksum in written],
        "recordSet": [_record_set(table) for table, _ in written],
    }
    return json.dumps(description, ensure_ascii=False, indent=2) + "\n"


def _file(table: Table, checksum: str) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{table.name}-{SPLIT}",
        "name": f"{table.name}-{SPLIT}",
        "description": table.words,
        "contentUrl": file_of(table),
        "encodingFormat": "application/x-parquet",
        "sha256": checksum,
    }


def _record_set(table: Table) -> dict[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.words,
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: Table, column: Column) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": column.words,
        "dataType": _TYPES[column.kind],
        **({"repeated": True} if column.kind == Kind.TEXTS else {}),
        "source": {"fileObject": {"@id": f"{table.name}-{SPLIT}"}, "extract": {"column": column.name}},
    }
