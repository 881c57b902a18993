"""The rows that a file of responses refers to: found, or created from a record's data.

An existing row is referred to by its key in the database. A new one is referred to by its identifying values until it
is written.
"""

import contextlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.utils import timezone

from annotation.content.instances import Conflict, instance_key
from annotation.kinds.registry import annotated, named_fields
from annotation.models import Instance, Release, ReleasedInstance
from annotation.releases.items.releasing import columns_of
from core.engine.writing.inserts import Insert, keys_for
from core.files.imports import CHUNK
from core.files.problems import ShapeError
from core.files.records import digest_of
from core.languages import say
from core.words import plural

from ..catalogue.readings import read_columns, reply_of
from ..models import InstanceVariant, LanguageModel, Mark, ModelKind, PromptTemplate
from ..protocol.tasks import variant_columns
from ..protocol.thoughts import named_marks
from ..protocol.verdicts import Verdict
from .question_numbers import MOST_COPIES, QuestionNumbers
from .response_records import INSTANCE, PART

# An existing instance, or the key of one that the file creates.
InstanceRef = int | str
# The fields in which a record without a key must match an existing instance.
ALIKE = ("question", "passage_1", "passage_2", "answer_1", "answer_2")
# The columns looked up for an existing instance.
KIND = ("benchmark", "content")


class Models:
    """Models by name; an unknown one becomes a model that cannot be asked."""

    def __init__(self) -> None:
        self.here: dict[str, int] = dict(LanguageModel.objects.values_list("name", "pk"))
        with_labels = LanguageModel.objects.exclude(option_labels="")
        self.option_labels: dict[str, str] = dict(with_labels.values_list("name", "option_labels"))

    def rows(self, names: Sequence[tuple[str, str]]) -> Iterator[Insert]:
        """The rows of new models, by name and endpoint name."""
        new = {name: endpoint for name, endpoint in names if name not in self.here}
        keys = keys_for({LanguageModel: len(new)})[LanguageModel]
        for (name, endpoint), key in zip(new.items(), keys, strict=True):
            self.here[name] = key
            yield Insert.of(
                LanguageModel, id=key, name=name, endpoint_name=endpoint, kind=ModelKind.IMPORTED.value, decoding={}
            )


class Instances:
    """Instances by their keys."""

    def __init__(self) -> None:
        # Instances that the file creates, with their keys in the database once they have one.
        self.made: dict[str, int | None] = {}

    def rows(self, values: dict[str, dict[str, Any]]) -> Iterator[Insert]:
        """The rows of new instances, by their keys."""
        keys, now = keys_for({Instance: len(values)})[Instance], timezone.now()
        for (key, content), pk in zip(values.items(), keys, strict=True):
            self.made[key] = pk
            yield Insert.of(Instance, id=pk, key=key, created_at=now, **columns_of(annotated(), content))

    def key_of(self, ref: InstanceRef) -> int | None:
        return ref if isinstance(ref, int) else self.made[ref]


class Found(NamedTuple):
    """The rows that a response belongs to."""

    instance: InstanceRef
    model: str
    endpoint: str
    template: int
    variant: int | bytes | None


@dataclass(slots=True)
class PlannedJudgment:
    """A judgment to be written: its own columns, and the judge model by name and endpoint name."""

    values: dict[str, Any]
    judge: str
    endpoint: str


@dataclass(slots=True)
class Planned:
    """A response to be written: its own columns, and the rows it belongs to. The first response of a new instance or
    of a new variant holds its content.
    """

    values: dict[str, Any]
    run: uuid.UUID
    found: Found
    new_instance: dict[str, Any] | None = None
    new_variant: tuple[int, dict[str, str]] | None = None
    judgments: list[PlannedJudgment] = field(default_factory=list)
    reading: dict[str, Any] | None = None


@dataclass(slots=True)
class MoreJudgments:
    """Judgments to be written about an existing response."""

    run: uuid.UUID
    response: int
    judgments: list[PlannedJudgment]


class Lookup:
    """Finds the rows that records refer to. `look_up` reads the existing ones for some of them, which the following
    calls use.
    """

    def __init__(self, release: Release | None = None):
        self.release = release
        self.models = Models()
        templates = list(PromptTemplate.objects.all())
        # The task of each template.
        self.tasks = {row.pk: row.what for row in templates}
        # The benchmark and content of existing instances that were looked up.
        self.content: dict[int, tuple[str, dict[str, object]]] = {}
        self.templates = {(row.code, row.version): row.pk for row in templates}
        self.codes = {row.pk: row.code for row in templates}
        self.offered: dict[int, tuple[Verdict, ...]] = {row.pk: row.offered_verdicts for row in templates}
        self.instances, self.numbers = Instances(), QuestionNumbers()
        self.by_key: dict[str, int] = {}
        # Release and number to the instance and its question.
        self.by_number: dict[tuple[int, int], tuple[int, str]] = {}
        self.variants_here: dict[bytes, int] = {}
        # The newest version of an instance's variants, and the keys of variants that the file creates.
        self.versions: dict[InstanceRef, int] = {}
        self.variant_keys: dict[int | bytes | None, int] = {}
        self.planned: set[InstanceRef | bytes] = set()
        # The templates of answers of several parts, which are read once all parts are written.
        self.several: set[int] = set()

    def look_up(self, records: Sequence[dict[str, Any]]) -> None:
        keys = {record["instance"] for record in records if record.get("instance")}
        self.by_key = dict(Instance.objects.filter(key__in=keys).values_list("key", "pk"))
        wanted: dict[int, set[int]] = {}
        for record in records:
            release, number = self.number_of(record)
            if release is not None and number is not None:
                wanted.setdefault(release, set()).add(number)
        self.by_number = {}
        for release, numbers in wanted.items():
            rows = ReleasedInstance.objects.filter(release__number=release, number__in=numbers)
            for number, pk, question in rows.values_list("number", "instance_id", "instance__question"):
                self.by_number[release, number] = pk, question

    # --- Instances ------------------------------------------------------------------------------------------------

    def found(self, records: Iterable[dict[str, Any]]) -> set[int]:
        """The existing instances of these records."""
        refs = set()
        for record in records:
            with contextlib.suppress(ShapeError):
                refs.add(self.instance(record))
        return {ref for ref in refs if isinstance(ref, int)}

    def number_of(self, record: dict[str, Any]) -> tuple[int | None, int | None]:
        return record.get("release") or (self.release.number if self.release else None), record.get("question_ID")

    def instance(self, record: dict[str, Any]) -> InstanceRef:
        """The instance of a record: by its key, by its number in a release, otherwise by its content. Raises
        ShapeError if there is none and the record does not describe one.
        """
        key = record.get("instance") or ""
        found = self.with_key(key) if key else self.numbered(record)
        if found is None and record.get("question"):
            found = self.with_content(record, key)
        if found is None:
            raise ShapeError(
                "instance" if key else "question",
                say("names no instance that is here, and the record does not contain all of it"),
            )
        return found

    def with_key(self, key: str) -> InstanceRef | None:
        # A row that an earlier record of the file creates.
        return self.by_key.get(key) or (key if key in self.planned else None)

    def numbered(self, record: dict[str, object]) -> int | None:
        release, number = self.number_of(record)
        if release is None or number is None or (release, number) not in self.by_number:
            return None
        pk, question = self.by_number[release, number]
        if record.get("question") not in (None, question):
            raise ShapeError(
                "question", say("is not question {number} of release {release}", number=number, release=release)
            )
        return pk

    def with_content(self, record: dict[str, Any], key: str) -> InstanceRef:
        values = instance_values(record)
        if key:
            if all(instance_key(values, copy=copy) != key for copy in range(MOST_COPIES)):
                raise ShapeError("instance", say("is not the key of what the record says the instance is"))
        else:
            texts, number = digest_of(values[name] for name in ALIKE), record.get("question_ID")
            copy = self.numbers.copy_of(texts, number)
            key = instance_key(values, copy=copy)
            found = self.of_alike(self.by_texts.get(texts, []), number, key, copy=copy)
            if found is not None:
                return found
        self.instances.made.setdefault(key, None)
        return key

    def of_alike(self, alike: list[int], number: int | None, key: str, *, copy: int) -> int | None:
        """Of instances with the same texts the one released under this number, otherwise the one with this key or, of
        the first number in the file, the newest: a question can be released twice, and only its number distinguishes
        them.
        """
        if number is not None and (len(alike) > 1 or (alike and copy)):
            numbered = ReleasedInstance.objects.filter(instance__in=alike, number=number).order_by("-release")
            with_key = Instance.objects.filter(pk__in=alike, key=key)
            for found in (numbered.values_list("instance", flat=True), with_key.values_list("pk", flat=True)):
                if (pk := found.first()) is not None:
                    return pk
        return alike[-1] if alike and not copy else None

    def check_number(self, where: str, record: dict[str, object], found: Found) -> None:
        """Raises ShapeError if the record's question_ID names another question in an earlier record."""
        release, number = self.number_of(record)
        self.numbers.check(self.tasks[found.template].benchmark, release, number, found.instance, where)

    @cached_property
    def by_texts(self) -> dict[bytes, list[int]]:
        """All instances by their texts, identical ones from the oldest, regardless of other differences: read once
        for all records without a key.
        """
        rows = Instance.objects.order_by("pk").only("benchmark", "question", "content").iterator(chunk_size=CHUNK)
        fields = ((row.pk, named_fields(row)) for row in rows)
        found: dict[bytes, list[int]] = {}
        for pk, values in fields:
            found.setdefault(digest_of(values[name] for name in ALIKE), []).append(pk)
        return found

    def look_up_variants(self, instances: set[int]) -> None:
        """Read the existing variants of these instances."""
        self.variants_here = {}
        here = InstanceVariant.objects.filter(instance__in=instances)
        for pk, instance, version, content in here.values_list("pk", "instance", "version", "content"):
            self.variants_here[variant_identity(instance, content)] = pk
            self.versions[instance] = max(version, self.versions.get(instance, 0))

    # --- Everything else ------------------------------------------------------------------------------------------

    def template(self, record: dict[str, Any]) -> int:
        version = record.get("template_version") or 1
        found = self.templates.get((record["template"], version))
        if found is None:
            raise ShapeError(
                "template",
                say(
                    "“{record}”, version {version}, is not a prompt here",
                    record=record["template"][:20],
                    version=version,
                ),
            )
        return found

    def variant(self, record: dict[str, Any], template: int, instance: InstanceRef) -> "int | bytes | None":
        """The variant of a record: an existing one, or the identity of a new one."""
        columns = self.tasks[template].variant_columns
        for other in variant_columns():
            if record.get(other.name) and other not in columns:
                raise ShapeError(other.name, say("belongs to another task than the template's"))
        content = self.variant_content(record, template)
        if not any(content.values()):
            return None
        if not all(content.values()):
            raise ShapeError(columns[0].name, say("and its related fields must be given together"))
        identity = variant_identity(instance, content)
        return self.variants_here.get(identity, identity)

    def variant_content(self, record: dict[str, Any], template: int) -> dict[str, str]:
        """The content of a record's variant, by the keys of the template's task; "" for what it lacks."""
        return {column.key: record.get(column.name) or "" for column in self.tasks[template].variant_columns}

    def find(self, record: dict[str, Any]) -> Found:
        """Find the rows of a record. Raises ShapeError if it refers to a missing row that cannot be created."""
        instance = self.instance(record)
        endpoint = (record.get("endpoint_name") or "")[:200]
        template = self.template(record)
        self.check_kind(template, instance)
        variant = self.variant(record, template, instance)
        return Found(instance, model_name(record), endpoint, template, variant)

    # --- Written ------------------------------------------------------------------------------------------------

    def look_up_content(self, instances: set[int]) -> None:
        """Read the benchmark and the content of each of these instances."""
        rows = Instance.objects.filter(pk__in=instances).order_by()
        self.content = {pk: (benchmark, content) for pk, benchmark, content in rows.values_list("pk", *KIND)}

    def kind_of(self, instance: InstanceRef) -> tuple[str, dict[str, object]]:
        """Benchmark and content of an instance; one that the file creates belongs to the benchmark annotated here."""
        made: tuple[str, dict[str, object]] = (annotated().code, {})
        return self.content.get(instance, made) if isinstance(instance, int) else made

    def check_kind(self, template: int, instance: InstanceRef) -> None:
        """Raises ShapeError if the template does not ask about instances of this benchmark."""
        benchmark, _ = self.kind_of(instance)
        if self.tasks[template].benchmark != benchmark:
            raise ShapeError(
                "template",
                say("is for another benchmark than the instance's, which is {benchmark}", benchmark=benchmark),
            )

    def mark(self, found: Found, record: dict[str, object], mark: str) -> str:
        """The mark of a response: complete if it was cut at its task's limit and the record does not object."""
        ends_at_limit = self.tasks[found.template].reply_spec.most_tokens is not None
        is_cut = mark == Mark.CUT and record.get("mark") != Mark.CUT
        return Mark.COMPLETE.value if ends_at_limit and is_cut else mark

    def reading(self, found: Found, values: dict[str, object]) -> dict[str, object] | None:
        """The columns of the reading of a response with these values, if its task reads replies."""
        task = self.tasks[found.template]
        if task.reader is None or not isinstance(found.instance, int):
            return None
        _, content = self.kind_of(found.instance)
        if task.parts(content) == 1:
            return read_columns(task, content, [reply_of(values, self.models.option_labels.get(found.model, ""))])
        self.several.add(found.template)
        return None

    def composition(self, found: Found) -> Mapping[str, Any] | None:
        """The record of how the prompt of a response was composed, if its task records it."""
        task = self.tasks[found.template]
        if not task.has_composition or not isinstance(found.instance, int):
            return None
        return task.composition(self.kind_of(found.instance)[1], self.codes[found.template])

    def check_part(self, found: Found, part: int) -> None:
        """Raises ShapeError if an answer to this template about the instance has no part of this number."""
        parts = self.tasks[found.template].parts(self.kind_of(found.instance)[1]) if part > 1 else 1
        if part > parts:
            raise ShapeError(
                PART, say("is {part}, and an answer has {parts}", part=part, parts=plural(parts, "part"))
            )

    def refer(self, record: dict[str, Any], found: Found, values: dict[str, Any], run: uuid.UUID) -> Planned:
        """The plan for a new response that refers to the rows `found`."""
        values["composition"] = self.composition(found)
        planned = Planned(values, run, found, reading=self.reading(found, values))
        if self.is_first(found.instance):
            planned.new_instance = instance_values(record)
        if self.is_first(found.variant):
            self.versions[found.instance] = version = self.versions.get(found.instance, 0) + 1
            planned.new_variant = version, self.variant_content(record, found.template)
        return planned

    def is_first(self, ref: InstanceRef | bytes | None) -> bool:
        """Return whether the file creates this, and no earlier record refers to it."""
        if ref is None or isinstance(ref, int) or ref in self.planned:
            return False
        self.planned.add(ref)
        return True

    def rows(self, planned: Sequence[Planned]) -> Iterator[Insert]:
        """The rows that these responses are the first to refer to."""
        yield from self.models.rows([(each.found.model, each.found.endpoint) for each in planned])
        new = {str(each.found.instance): each.new_instance for each in planned if each.new_instance}
        yield from self.instances.rows(new)
        variants = [(each.found, *each.new_variant) for each in planned if each.new_variant]
        keys = keys_for({InstanceVariant: len(variants)})[InstanceVariant]
        for (found, version, content), key in zip(variants, keys, strict=True):
            self.variant_keys[found.variant] = key
            instance = self.instances.key_of(found.instance)
            yield Insert.of(InstanceVariant, id=key, instance_id=instance, version=version, content=content)

    def columns(self, planned: Planned) -> dict[str, Any]:
        """The columns of a response, once the rows that it refers to have their keys."""
        found = planned.found
        return planned.values | {
            "marks_left": named_marks(planned.values["text"]),
            "instance_id": self.instances.key_of(found.instance),
            "model_id": self.models.here[found.model],
            "template_id": found.template,
            "variant_id": self.variant_keys[found.variant] if isinstance(found.variant, bytes) else found.variant,
        }


def variant_identity(instance: InstanceRef, content: Mapping[str, Any]) -> bytes:
    """The identity of a variant: its instance and content."""
    return digest_of((str(instance), *(text for item in sorted(content.items()) for text in map(str, item))))


def model_name(record: dict[str, Any]) -> str:
    """The name of a record's model. Raises ShapeError if it is not a name."""
    name = record["model"]
    if len(name) > 100 or not name.strip():
        raise ShapeError("model", say("is not a model name: 1 to 100 characters"))
    return name


def instance_values(record: dict[str, Any]) -> dict[str, Any]:
    """The content of the instance that a record describes. Raises ShapeError if it is not valid."""
    values = asdict(Conflict(**{name: record[name] for name in INSTANCE if record.get(name)}))
    if problems := annotated().problems(values):
        raise ShapeError("instance", say("cannot be: {problems}", problems=problems[0]))
    return values
