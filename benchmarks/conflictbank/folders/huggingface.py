"""A release as a folder for the Hugging Face Hub: items and claims as JSON Lines, a card, and Croissant."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Release
from annotation.releases.datasheets.datasheet import escaped
from annotation.releases.huggingface.croissant import CONTEXT

from .. import items as item
from ..files import claim_chunks, item_chunks
from .harnesses import MISLEADING
from .licences import licence_code, licence_lines, licence_url

PAPER = "Su et al.: ConflictBank. NeurIPS 2024, Datasets and Benchmarks"
LISTS = {item.OPTIONS, item.SPAN}
CLAIM_FIELDS = ("id", "subject", "claim", "category", "evidence")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the folder: its fields with their descriptions."""

    name: str
    about: str
    fields: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"data/{self.name}.jsonl"


ITEMS = Part("items", "Questions with four options, and evidence for four claims each", item.FIELDS)
CLAIMS = Part("claims", "Claims with their evidence; id and category together identify a row", CLAIM_FIELDS)


def write_huggingface(release: Release, folder: Path) -> None:
    """Put card, Croissant and data into an empty folder."""
    (folder / "data").mkdir()
    digests = {
        part: _written(folder / part.file, chunks)
        for part, chunks in ((ITEMS, item_chunks(release)), (CLAIMS, claim_chunks(release)))
    }
    described = json.dumps(croissant(release, digests), ensure_ascii=False, indent=2)
    (folder / "croissant.json").write_text(f"{described}\n", encoding="utf-8")
    (folder / "README.md").write_text(card(release), encoding="utf-8")


def _written(path: Path, chunks: Iterable[str]) -> str:
    """Write the file; returns its SHA-256."""
    digest = hashlib.sha256()
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for chunk in chunks:
            digest.update(chunk.encode())
            file.write(chunk)
    return digest.hexdigest()


def card(release: Release) -> str:
    configs = [f"  - config_name: {part.name}\n    data_files: {part.file}\n" for part in (ITEMS, CLAIMS)]
    licences = "\n".join(f"- {escaped(line)}" for line in licence_lines(release))
    return (
        f"---\nlicense: {licence_code(release)}\nlanguage:\n  - en\ntask_categories:\n  - multiple-choice\n"
        f"pretty_name: ConflictBank, release {release.number}\nconfigs:\n{''.join(configs)}---\n\n"
        f"# ConflictBank, release {release.number}\n\n**{MISLEADING}** It is meant for evaluating whether models "
        f"believe their memory or a text, and not for training them to state facts.\n\nMethod: {PAPER}. "
        f"Content hash: `{release.content_hash}`.\n\n## Licence\n\n{licences}\n"
    )


def croissant(release: Release, digests: dict[Part, str]) -> dict[str, object]:
    """The description of the files in Croissant 1.0."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"conflictbank-release-{release.number}",
        "description": release.notes or MISLEADING,
        "license": licence_url(release),
        "url": ".",
        "version": f"{release.number}.0.0",
        "datePublished": f"{release.created_at:%Y-%m-%d}",
        "inLanguage": "en",
        "identifier": release.content_hash,
        "citeAs": PAPER,
        "distribution": [_file(part, digest) for part, digest in digests.items()],
        "recordSet": [_record_set(part) for part in digests],
    }


def _file(part: Part, digest: str) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": part.file,
        "name": part.name,
        "description": part.about,
        "contentUrl": part.file,
        "encodingFormat": "application/jsonlines",
        "sha256": digest,
    }


def _record_set(part: Part) -> dict[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": part.name,
        "name": part.name,
        "description": part.about,
        "field": [_field(part, name) for name in part.fields],
    }


def _field(part: Part, name: str) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{part.name}/{name}",
        "name": name,
        "dataType": "sc:Integer" if name == "id" else "sc:Text",
        **({"repeated": True} if name in LISTS else {}),
        "source": {"fileObject": {"@id": part.file}, "extract": {"jsonPath": f"$.{name}"}},
    }
