"""The rows that a file of responses refers to: found, or made if the record has enough about them."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from django.db.models import Model

from annotation.content.instances import instance_key
from annotation.content.paper_record import ShapeError
from annotation.models import Instance, Release, ReleasedInstance
from core.writing.inserts import give_keys

from ..models import LanguageModel, ModelKind, PromptTemplate, ResolvedPassages
from .response_records import INSTANCE, RESOLVED

# Instances of a release that are identical are told apart by a count.
MOST_COPIES = 20
CHUNK = 500
# The fields in which a record without a key must match an existing instance.
ALIKE = ("question", "passage_1", "passage_2", "answer_1", "answer_2")
EMPTY = {"same_passage": False, "semantic_types": [], "modalities": []}


class Lookup:
    """Finds instances, models, templates and resolved passages; `made_up` yields what has to be stored."""

    def __init__(self, release: Release | None = None):
        self.release = release
        self.instances: dict[str, Instance] = {}
        self.models = {model.name: model for model in LanguageModel.objects.all()}
        self.templates = {(row.code, row.version): row for row in PromptTemplate.objects.all()}
        self.numbers: dict[tuple[int | None, int], Instance] = {}
        self.resolved_by_texts: dict[tuple[str, ...], ResolvedPassages] = {}

    def made_up(self) -> Iterator[Model]:
        """The unsaved rows, each with the key that it will have."""
        rows = [*self.instances.values(), *self.models.values(), *self.resolved_by_texts.values()]
        new = [row for row in rows if row.pk is None]
        give_keys(new)
        for row in new:
            if isinstance(row, ResolvedPassages):
                row.instance = row.instance
            yield row

    # --- Instances --------------------------------------------------------------------------------------------

    def instance(self, record: dict[str, Any]) -> Instance:
        """The instance of a record: by its key, by its number in a release, or else by its content. Raises ShapeError
        if there is none and the record does not describe one."""
        key = record.get("instance") or ""
        found = self.by_key(key) if key else self.by_number(record)
        if found is None and record.get("question"):
            found = self.by_content(record, key)
        if found is None:
            raise ShapeError(
                "instance" if key else "question",
                "names no instance that is here, and the record does not hold the whole of it",
            )
        return found

    def by_key(self, key: str) -> Instance | None:
        if key not in self.instances and (found := Instance.objects.filter(key=key).first()):
            self.instances[key] = found
        return self.instances.get(key)

    def by_number(self, record: dict[str, Any]) -> Instance | None:
        number = record.get("question_ID")
        release = record.get("release") or (self.release.number if self.release else None)
        if number is None or release is None:
            return None
        if (release, number) not in self.numbers:
            row = ReleasedInstance.objects.filter(release__number=release, number=number).first()
            if row is None:
                return None
            self.numbers[release, number] = row.instance
        found = self.numbers[release, number]
        if record.get("question") not in (None, found.question):
            raise ShapeError("question", f"is not question {number} of release {release}")
        return self.instances.setdefault(found.key, found)

    def by_content(self, record: dict[str, Any], key: str) -> Instance:
        values = {name: record.get(name) or EMPTY.get(name, "") for name in INSTANCE}
        if key:
            if all(instance_key(values, copy=copy) != key for copy in range(MOST_COPIES)):
                raise ShapeError("instance", "is not the key of what the record says the instance is")
        elif alike := self.alike(values):
            return alike
        key = key or instance_key(values)
        if (found := self.by_key(key)) is None:
            found = self.instances[key] = Instance(key=key, **values)
        return found

    def alike(self, values: dict[str, Any]) -> Instance | None:
        """The newest instance with this question and these passages and answers, whatever else the record leaves
        out."""
        key = self.by_texts.get(digest(values[name] for name in ALIKE))
        return self.by_key(key) if key else None

    @cached_property
    def by_texts(self) -> dict[bytes, str]:
        """The keys of all instances, of identical ones the newest: read once for all records without a key."""
        rows = Instance.objects.order_by("pk").values_list("key", *ALIKE)
        return {digest(texts): key for key, *texts in rows.iterator(chunk_size=CHUNK)}

    # --- Everything else --------------------------------------------------------------------------------------

    def model(self, record: dict[str, Any]) -> LanguageModel:
        name = record["model"]
        if len(name) > 100 or not name.strip():
            raise ShapeError("model", "is not a model name: 1 to 100 characters")
        if name not in self.models:
            endpoint_name = (record.get("endpoint_name") or "")[:200]
            self.models[name] = LanguageModel(
                name=name, endpoint_name=endpoint_name, kind=ModelKind.IMPORTED, decoding={}
            )
        return self.models[name]

    def template(self, record: dict[str, Any]) -> PromptTemplate:
        version = record.get("template_version") or 1
        found = self.templates.get((record["template"], version))
        if found is None:
            raise ShapeError("template", f"“{record['template'][:20]}”, version {version}, is not a template here")
        return found

    def resolved(self, record: dict[str, Any], instance: Instance) -> ResolvedPassages | None:
        texts = tuple(record.get(name) or "" for name in RESOLVED)
        if not any(texts):
            return None
        if not all(texts):
            raise ShapeError(RESOLVED[0], "and its kin must be there together")
        identity = (instance.key, *texts)
        if identity not in self.resolved_by_texts:
            names = dict(zip(("passage_1", "passage_2", "answer"), texts, strict=True))
            known = ResolvedPassages.objects.filter(instance__key=instance.key)
            found = known.filter(**names).first()
            made = sum(1 for key, *_ in self.resolved_by_texts if key == instance.key)
            version = max(known.values_list("version", flat=True), default=0) + made + 1
            self.resolved_by_texts[identity] = found or ResolvedPassages(instance=instance, version=version, **names)
        return self.resolved_by_texts[identity]


def digest(texts: Iterable[str]) -> bytes:
    return hashlib.sha256(json.dumps(list(texts)).encode()).digest()
