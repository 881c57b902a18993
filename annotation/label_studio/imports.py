"""Imports Label Studio's tasks: each is a tag, with several people's work on it. All of a file or nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from core.engine.writing.inserts import Insert
from core.files.imports import FileImport
from core.files.problems import Clash, ShapeError, broken, with_title
from core.files.records import digest_of, read_parts, read_records
from core.files.skipping import Skipped
from core.languages import joined, say, say_count
from core.models import Role, User
from core.models.names import name_key
from core.refusals import Refusal
from core.words import plural
from core.writing.batches import Writing

from ..content.fields import differing_fields
from ..content.paper_record import RESULT, content_of_result
from ..desk.visibility import ANNOTATES_IT
from ..models import AnnotationState
from ..models.assignments import MOST_ANNOTATIONS
from ..releases.files.imported_rows import identity_of
from .known import Here, KnownTags, TagHere
from .nobodys import Marks, take_nobodys
from .results import said
from .rows import New, NewWork, Rows
from .tasks import Kind, Person, Task, Work, read_task

MOST_NAMED = 20


def import_tasks(
    stream: BinaryIO,
    *,
    admin: User | None = None,
    users: BinaryIO | None = None,
    without_people: bool = False,
    accept_ground_truth: bool = False,
    check_only: bool = False,
    skipped: Skipped | None = None,
    revision: str = "",
) -> "TaskImport":
    """Read Label Studio's JSON or JSON_MIN into tags and their annotations; returns the new ones.

    Each annotation is the work of the annotator with its address, and waits for review; `users`, the list from Label
    Studio's API, gives the address for each number. With `without_people`, it belongs to nobody, as does an unchanged
    one that was exported from here without an address. With `accept_ground_truth`, the one marked as ground truth
    counts as accepted. Existing work changes nothing. Raises Refusal, having written nothing, if the file is not
    valid, names people who are not annotators here, or contradicts existing work; with `skipped`, such tasks go
    there.
    """
    addresses = {} if users is None else addresses_of(users)
    return TaskImport(
        addresses=addresses,
        without_people=without_people,
        accept_ground_truth=accept_ground_truth,
        actor=admin,
        check_only=check_only,
        skipped=skipped,
        revision=revision,
    ).bring_in(stream)


def addresses_of(users: BinaryIO) -> dict[int, str]:
    """Numbers of people in Label Studio to their addresses. Raises Refusal if the file is not such a list."""
    addresses: dict[int, str] = {}
    for user in read_records(read_parts(users)):
        number, email = (user.get("id"), user.get("email")) if isinstance(user, dict) else (None, None)
        if not isinstance(number, int) or not isinstance(email, str):
            raise broken(
                say(
                    "The users must be a list of objects with id and email, as Label Studio returns it for "
                    "/api/users."
                )
            )
        addresses[number] = name_key(email)
    return addresses


class TaskImport(FileImport):
    what = "Label Studio tasks"

    def __init__(
        self, *, addresses: Mapping[int, str], without_people: bool, accept_ground_truth: bool, **values: Any
    ):
        super().__init__(**values)
        self.addresses, self.without_people = addresses, without_people
        self.accept_ground_truth = accept_ground_truth
        self.people = _annotators()
        self.parsed: dict[int, Task] = {}
        self.known = KnownTags(self.actor)
        self.rows_of = Rows(self.actor)
        # The numbers in Label Studio of alike tasks, in their order: rows of JSON_MIN repeat them.
        self.alike: dict[bytes, list[int | None]] = {}
        # The remaining marks of tasks, by tag: rows of JSON_MIN repeat them, too.
        self.marks: dict[bytes, Marks] = {}
        # By kind, how many are new; and what is left out or kept aside.
        self.tasks_read, self.tasks_new = 0, 0
        self.kinds: Counter[Kind] = Counter()
        self.accepted = self.predictions = self.drafts_left_out = 0
        self.aside: Counter[str] = Counter()
        self.strangers: Counter[str] = Counter()

    def lines(self) -> Iterator[str]:
        if not self.tasks_read:
            yield say("The file holds no tasks.")
            return
        if not self.new:
            yield say("Nothing changed: all {tasks} are already here.", tasks=plural(self.tasks_read, "task"))
        else:
            yield joined([plural(self.tasks_read, "task"), ": ", joined(self.counted(), ", "), "."], "")
            if self.there:
                yield say_count(
                    self.there,
                    "{count:,} task was already here and will not change.",
                    "{count:,} tasks were already here and will not change.",
                )
        if self.predictions:
            yield say_count(
                self.predictions, "{count:,} prediction was left out.", "{count:,} predictions were left out."
            )
        if self.drafts_left_out:
            yield say_count(
                self.drafts_left_out,
                "{count:,} draft was left out: without text or person, or of an annotation that was submitted.",
                "{count:,} drafts were left out: without text or person, or of an annotation that was submitted.",
            )
        if self.aside:
            names = ", ".join(f"{name} ({count:,})" for name, count in self.aside.most_common(MOST_NAMED))
            yield say("Results of controls that the form does not have are kept aside: {names}.", names=names)

    def counted(self) -> Iterator[str]:
        yield plural(self.tasks_new, "new tag")
        yield plural(self.kinds[Kind.ANNOTATION], "new annotation")
        if self.accepted:
            yield say("{accepted:,} of them accepted", accepted=self.accepted)
        if self.kinds[Kind.DRAFT]:
            yield plural(self.kinds[Kind.DRAFT], "draft")
        if self.kinds[Kind.SKIPPED]:
            yield plural(self.kinds[Kind.SKIPPED], "skip")

    # --- Planned ------------------------------------------------------------------------------------------------

    def name(self, where: int, record: Any) -> str:
        data = record.get("data", record) if isinstance(record, dict) else None
        title = data.get("title") if isinstance(data, dict) else None
        return with_title(say("Task"), where, title)

    def check(self, record: object) -> None:
        self.parsed[id(record)] = read_task(record)

    def look_up(self, records: Sequence[Any]) -> None:
        self.known.look_up([self.parsed[id(record)] for record in records])

    def plan(self, where: int, record: Any) -> Iterator[New]:
        task = self.parsed.pop(id(record))
        identity, occurrence = self.occurrence_of(task)
        ref = digest_of((*identity, str(occurrence)))
        tag = self.known.find(ref, identity, occurrence)
        if tag.is_blind:
            raise Clash(say("{annotates_it}: another admin has to import this task", annotates_it=ANNOTATES_IT))
        if task.marks:
            task.marks = self.marks.setdefault(ref, task.marks)
        works = list(self.new_works(task, tag))
        more = len(tag.taken) + len(works) - len(tag.free)
        if len(tag.numbers) + max(0, more) > MOST_ANNOTATIONS:
            raise ShapeError(
                "annotations",
                say(
                    "are more than {most_annotations}, the most that a tag can have",
                    most_annotations=MOST_ANNOTATIONS,
                ),
            )
        is_new_tag = tag.is_new and ref not in self.known.planned
        self.count(task, works, is_new_tag)
        if is_new_tag or works:
            self.known.planned[ref] = tag
            self.take(tag, works)
            yield New(ref, task.record, occurrence, is_new_tag, works)

    def occurrence_of(self, task: Task) -> tuple[tuple[str, ...], int]:
        """The key of the task's tag, and its number among identical ones."""
        identity = identity_of(task.record)
        alike = self.alike.setdefault(digest_of(identity), [])
        if task.number is None or task.number not in alike:
            alike.append(task.number)
            return identity, len(alike) - 1
        return identity, alike.index(task.number)

    def new_works(self, task: Task, tag: TagHere) -> Iterator[NewWork]:
        """The task's works that are new here. Raises Clash if one exists with other content, or if nobody here has
        its address.
        """
        persons: set[int] = set()
        has_accepted = tag.is_accepted
        for work in task.works:
            person = self.person(work, task.marks)
            is_draft = work.kind == Kind.DRAFT
            if (person is None and work.kind != Kind.ANNOTATION) or (is_draft and person in persons):
                task.drafts_left_out += is_draft
                continue
            if person in persons:
                raise ShapeError(
                    "annotations", say("has two by {person}: keep only the one that counts", person=work.person)
                )
            if person is not None:
                persons.add(person)
            if self.is_here(tag, person, work, task):
                continue
            accepts = self.accept_ground_truth and work.is_ground_truth and work.kind == Kind.ANNOTATION
            state = AnnotationState.SUBMITTED if work.kind == Kind.ANNOTATION else AnnotationState.DRAFT
            if accepts and not has_accepted:
                has_accepted, state = True, AnnotationState.ACCEPTED
            yield NewWork(work, person, state)

    def person(self, work: Work, marks: Marks) -> int | None:
        address = self.addresses.get(work.person, work.person) if isinstance(work.person, int) else work.person
        address = name_key(address) if isinstance(address, str) else address
        is_nobodys = take_nobodys(marks, work.key, address)
        if self.without_people or address is None or is_nobodys:
            return None
        person = self.people.get(address) if isinstance(address, str) else None
        if person is None:
            self.strangers[_called(address)] += 1
            raise Clash(say("{called} is not an annotator here", called=_called(address)))
        return person

    def is_here(self, tag: TagHere, person: int | None, work: Work, task: Task) -> bool:
        """Return whether this work exists here. Raises Clash if the person has written something else about the
        tag.
        """
        if work.kind == Kind.SKIPPED and person in tag.skipped:
            return True
        record = json.dumps(task.record | {RESULT: work.result})
        if person is None:
            # Without a person it is known by what it says, whoever wrote the one that is here.
            theirs = (here for here in tag.by_person.values() if not here.digest)
            return any(_is_same(here, record, work) for here in (*tag.nobodys, *theirs))
        here = tag.by_person.get(person)
        if here is None:
            if person in tag.holders:
                raise Clash(say("{person} has this tag now", person=work.person))
            return False
        if not _is_same(here, record, work):
            differing = differing_fields(here.content, content_of_result(work.result)) if here.content else ()
            what = say(" and differs in {fields}", fields=", ".join(differing[:8])) if differing else ""
            raise Clash(
                say(
                    "the annotation of this tag by {person} is already here or being made{what}",
                    person=work.person,
                    what=what,
                )
            )
        return True

    def count(self, task: Task, works: list[NewWork], is_new_tag: bool) -> None:
        self.tasks_read += 1
        self.predictions += task.predictions
        self.drafts_left_out += task.drafts_left_out
        is_there = not works and not is_new_tag
        self.there += is_there
        self.new += not is_there
        self.tasks_new += is_new_tag
        for each in works:
            self.kinds[each.work.kind] += 1
            self.accepted += each.state == AnnotationState.ACCEPTED
            self.aside.update(str(item.get("from_name")) for item in each.work.aside)

    def take(self, tag: TagHere, works: Iterable[NewWork]) -> None:
        """Record the file's additions in the tag, as later rows may be about it, too."""
        for each in works:
            here = Here(digest=said(content_of_result(each.work.result)))
            if each.person is None:
                tag.nobodys.append(here)
            else:
                tag.by_person[each.person] = here
            if each.work.kind == Kind.SKIPPED:
                tag.skipped.update([each.person] if each.person else [])
            else:
                tag.taken.append((each.person, each.state != AnnotationState.DRAFT))
            tag.is_accepted |= each.state == AnnotationState.ACCEPTED

    def refuse_clashes(self) -> None:
        if self.strangers and self.clashes.forbid_writing:
            names = sorted(self.strangers)
            left = len(names) - MOST_NAMED
            more = say(" and {left:,} more", left=left) if left > 0 else ""
            raise Refusal(
                say(
                    "These are not annotators here: {names}{more}. Nothing was written. Invite them on the People "
                    "page, give the list of Label Studio's users if the file has only their numbers, or import "
                    "without people.",
                    names=", ".join(names[:MOST_NAMED]),
                    more=more,
                )
            )
        super().refuse_clashes()

    # --- Written ------------------------------------------------------------------------------------------------

    def rows(self, planned: list[New]) -> Iterator[Insert]:
        return self.rows_of.of(planned, self.known.planned)

    def write_more(self, writing: Writing) -> None:
        self.rows_of.write_more(writing, self.known.planned)

    def at_last(self) -> None:
        self.rows_of.at_last()


def _annotators() -> dict[str, int]:
    """The keys of all annotators by their addresses, in lower case."""
    people = User.objects.filter(groups__name=Role.ANNOTATOR).exclude(email="")
    return {name_key(email): pk for email, pk in people.values_list("email", "pk")}


def _called(person: Person) -> str:
    return say("number {person}", person=person) if isinstance(person, int) else person[:100]


def _is_same(here: Here, record: str, work: Work) -> bool:
    if here.record and here.record == record:
        return True
    coming = said(content_of_result(work.result))
    return coming == (said(here.content) if here.content else here.digest)
