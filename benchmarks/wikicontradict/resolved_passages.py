"""Passages whose contradiction a person has resolved: for templates 5.3 and 5.4, which test models on them."""

from functools import cache

from django.db import IntegrityError, models, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.content.instances import Conflict
from annotation.models import Instance, Release, ReleasedInstance
from core.languages import changed, say
from core.lists.pages import ChipCounts, Window
from core.models import Event, User
from core.outside import required_text
from core.refusals import Refusal
from judging.models import InstanceVariant

from .models import WikicontradictAction

MOST_CHARACTERS = 20_000
LABELS = {"passage_1": say("passage 1′"), "passage_2": say("passage 2′"), "answer": say("the answer")}


class ResolvingState(models.TextChoices):
    """Return whether an instance's passages have been resolved."""

    TO_DO = "to_do", say("To do")
    DONE = "done", say("Resolved")


def instances_with_resolved_version(release: Release | Subquery) -> QuerySet[Instance]:
    """The release's instances in their order, each with the `version` of its resolved passages (None: not yet)."""
    newest = InstanceVariant.objects.filter(instance=OuterRef("pk")).order_by("-version").values("version")[:1]
    released = Instance.objects.filter(released_instances__release=release)
    return released.annotate(version=Subquery(newest)).order_by("released_instances__number")


def instances_at(release: Release | Subquery, state: ResolvingState) -> QuerySet[Instance]:
    """The release's instances in this state."""
    is_to_do = state == ResolvingState.TO_DO
    instances = instances_with_resolved_version(release)
    return instances.filter(version__isnull=is_to_do)  # type: ignore[misc]  # from instances_with_resolved_version


def instances_near(release: Release | Subquery, state: str) -> Window:
    """A superset of the release's instances in this state, in their order, found by an index."""
    if state == ResolvingState.DONE:
        # Asked of each that is resolved: they are few beside the instances of a release.
        released = ReleasedInstance.objects.filter(release=release, instance=OuterRef("instance"))
        resolved = InstanceVariant.objects.filter(Exists(released), version=1)
        return Window(resolved, ("instance_id",), key="instance_id", is_whole=True)
    released = ReleasedInstance.objects.filter(release=release)
    return Window(released, ("number",), key="instance_id", is_whole=not state)


@cache
def chip_counts(benchmark: str) -> ChipCounts[str]:
    """The number of instances of the latest release of a benchmark in each state."""
    latest = Subquery(Release.objects.filter(benchmark=benchmark).order_by("-number").values("pk")[:1])
    states = ResolvingState.values
    return ChipCounts(
        {state: (instances_near(latest, state), instances_at(latest, ResolvingState(state))) for state in states}
    )


def next_to_do(instance: Instance, release: Release) -> int | None:
    """The primary key of the next instance, in the order of the release, without resolved passages; None without
    one.
    """
    instances = instances_with_resolved_version(release)
    rows = list(instances.values_list("pk", "version"))  # type: ignore[misc]  # as above
    here = next((index for index, (pk, _) in enumerate(rows) if pk == instance.pk), 0)
    return next((pk for pk, version in [*rows[here + 1 :], *rows[:here]] if version is None), None)


def current_resolved_passages(instance: Instance) -> InstanceVariant | None:
    return InstanceVariant.objects.current().filter(instance=instance).select_related("made_by").first()


@transaction.atomic
def resolve_passages(
    *, instance: Instance, passage_1: str, passage_2: str, answer: str, resolver: User | None, seen_version: int = 0
) -> InstanceVariant:
    """Store passages 1' and 2' and their common answer, as the next version.

    `seen_version` is the version that the form started from (0: none). Saving the same again changes nothing. Raises
    Refusal if something is missing, where neither passage was changed, or if another person was quicker.
    """
    # A single passage that contradicts itself stays one, and is given to models once.
    conflict = Conflict.of(instance)
    passage_2 = passage_1 if conflict.same_passage else passage_2
    values = {"passage_1": passage_1, "passage_2": passage_2, "answer": answer}
    values = {name: clean(name, text) for name, text in values.items()}
    unchanged = [
        values[name].strip() == original.strip()
        for name, original in (("passage_1", conflict.passage_1), ("passage_2", conflict.passage_2))
    ]
    if all(unchanged):
        raise Refusal(
            say("Neither passage was changed, so they still contradict each other. Nothing was saved."), status=400
        )
    current = InstanceVariant.objects.filter(instance=instance).order_by("-version").first()
    if current and current.content == values:
        return current
    version = (current.version if current else 0) + 1
    if version != seen_version + 1:
        raise another_was_quicker()
    try:
        with transaction.atomic():
            resolved = InstanceVariant.objects.create(
                instance=instance, version=version, made_by=resolver, content=values
            )
    except IntegrityError as error:
        raise another_was_quicker() from error
    Event.record(WikicontradictAction.RESOLVED, instance, actor=resolver, after={"version": version})
    return resolved


def another_was_quicker() -> Refusal:
    return Refusal(say("Another person has resolved this since you opened the form. Your version was not saved."))


def clean(name: str, text: str) -> str:
    text = required_text(
        text.replace("\r\n", "\n"),
        say("{name} is empty. Nothing was saved.", name=changed(LABELS[name], str.capitalize)),
    )
    if len(text) > MOST_CHARACTERS:
        raise Refusal(say("There is too much text in {name}. Nothing was saved.", name=LABELS[name]), status=400)
    return text
