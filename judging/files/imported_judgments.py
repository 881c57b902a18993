"""Judge models' judgments of imported responses: the list `judgments` in the record of a response.

They belong to a judge run beside the imported run, so that every table of judge models has them.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils import timezone

from core.engine.writing.inserts import Insert, give_keys
from core.files.problems import ShapeError
from core.languages import in_sentence, say
from core.models import Event, User

from ..models import JudgingAction, Mark, ModelJudgment, Run, RunKind, RunState
from ..protocol.tasks import verdict_readers
from ..protocol.verdicts import Verdict
from .imported_rows import Models, PlannedJudgment
from .output_columns import cleaned, output_columns
from .response_records import JUDGMENT_TEXTS, JUDGMENTS, OUTPUT
from .same import check_same, said_of

# The fields in which two records of one judgment must agree.
SAID = ("verdict", "unreadable_reason", "comment", "text", *(name for name in OUTPUT if name != "answered_at"))
MOST_JUDGES = 20
COLUMNS = ("verdict", "unreadable_reason", "comment", "hint", "assembly", "reader")
UNSAID = dict.fromkeys(JUDGMENT_TEXTS, "") | {"assembly": "not said", "reader": "not said"}


class ImportedJudgments:
    """The judgments of a file. `look_up` reads the existing ones for some responses, which the following calls
    use.
    """

    def __init__(self, models: Models, actor: User | None):
        self.models, self.actor = models, actor
        # The judgments of each judge on the response at each position, stored or in the file.
        self.here: dict[tuple[bytes, str], bytes] = {}
        self.seen: dict[tuple[bytes, str], bytes] = {}
        self.new = 0
        # By the key of the imported run: its judge run, the judges there, and how many judgments are new.
        self.runs: dict[uuid.UUID, Run] = {}
        self.judges: dict[uuid.UUID, set[str]] = {}
        self.counts: dict[uuid.UUID, int] = {}

    def look_up(self, runs: Collection[Run], positions: Mapping[int, bytes]) -> None:
        """Read the judgments of these responses in the judge runs of these imported runs."""
        judged = ModelJudgment.objects.filter(run__key__in=map(judge_run_key, runs), response__in=positions)
        rows = judged.values("response", "model__name", *SAID)
        self.here = {(positions[row["response"]], row["model__name"]): said_of(row, SAID) for row in rows}

    def plan(
        self, record: dict[str, Any], *, run: Run, position: bytes, offered: Sequence[Verdict], is_in_file: bool
    ) -> list[PlannedJudgment]:
        """The new judgments in the record. Raises ShapeError if one is not valid, or differs from an existing one;
        `is_in_file` says that an earlier record of the file is of the same response.
        """
        planned: dict[tuple[bytes, str], tuple[bytes, PlannedJudgment]] = {}
        for number, judgment in enumerate(record.get(JUDGMENTS) or [], start=1):
            try:
                each = planned_judgment(judgment, offered or tuple(Verdict))
                at, said = (position, each.judge), said_of(each.values, SAID)
                known = self.here.get(at) or self.seen.get(at)
                if known is not None:
                    check_same(known, said, SAID, say("the stored judgment"))
                    continue
                if is_in_file:
                    raise ShapeError("judge", say("differs from the one in an earlier record of this response"))
            except ShapeError as error:
                raise ShapeError(f"{JUDGMENTS}.{number}.{error.field}".rstrip("."), error.problem) from error
            planned[at] = said, each
        self.seen |= {at: said for at, (said, _) in planned.items()}
        new = [each for _, each in planned.values()]
        if new:
            self.note(run, new)
        return new

    def note(self, run: Run, planned: list[PlannedJudgment]) -> None:
        self.new += len(planned)
        self.counts[run.key] = self.counts.get(run.key, 0) + len(planned)
        self.judges.setdefault(run.key, set()).update(each.judge for each in planned)
        if run.key not in self.runs:
            key = judge_run_key(run)
            self.runs[run.key] = Run.objects.filter(key=key).first() or self.judge_run(run, key)

    def judge_run(self, run: Run, key: uuid.UUID) -> Run:
        now = timezone.now()
        name = f"Judgments imported with {run.name or run.key}"[:200]
        finished = {"state": RunState.FINISHED, "started_at": now, "finished_at": now}
        return Run(key=key, name=name, kind=RunKind.JUDGE, created_by=self.actor, **finished)

    # --- Written ------------------------------------------------------------------------------------------------

    def new_runs(self) -> Iterator[Run]:
        """The new judge runs, with their keys."""
        new = [run for run in self.runs.values() if run.pk is None]
        give_keys(new)
        yield from new

    def judge_rows(self, planned: Iterable[Sequence[PlannedJudgment]]) -> Iterator[Insert]:
        """The new judge models."""
        yield from self.models.rows([(each.judge, each.endpoint) for judgments in planned for each in judgments])

    def rows(self, run: uuid.UUID, response: int, planned: Sequence[PlannedJudgment]) -> Iterator[Insert]:
        """The rows of judgments on a response of the imported run with this key."""
        for each in planned:
            judge = self.models.here[each.judge]
            belongs = {"run_id": self.runs[run].pk, "response_id": response, "model_id": judge}
            yield Insert.of(ModelJudgment, **belongs, **each.values)

    def at_last(self, imported: Mapping[uuid.UUID, Run]) -> None:
        """Write the other rows of the judge runs, in the transaction that makes them visible."""
        for key, run in self.runs.items():
            run.source_runs.add(imported[key].pk)
            run.language_models.add(*(self.models.here[judge] for judge in self.judges[key]))
            after = {"judgments": self.counts[key]}
            Event.record(JudgingAction.IMPORTED_JUDGMENTS, run, actor=self.actor, after=after)


def judge_run_key(run: Run) -> uuid.UUID:
    """The key of the judge run of an imported run: the same for each of its files."""
    return uuid.uuid5(run.key, JUDGMENTS)


def check_judgments(judgments: object) -> None:
    """Raises ShapeError if the list in a record is not one of judgments."""
    if not isinstance(judgments, list) or not all(isinstance(each, dict) for each in judgments):
        raise ShapeError(JUDGMENTS, say("must be a list of objects"))
    judges = [each.get("judge") for each in judgments]
    if not all(isinstance(judge, str) and judge.strip() and len(judge) <= 100 for judge in judges):
        raise ShapeError(f"{JUDGMENTS}.judge", say("must be the name of a model: 1 to 100 characters"))
    if len(set(judges)) < len(judges) or len(judges) > MOST_JUDGES:
        raise ShapeError(
            JUDGMENTS, say("must be of different judges, and at most {most_judges}", most_judges=MOST_JUDGES)
        )
    for number, each in enumerate(judgments, start=1):
        for name in JUDGMENT_TEXTS:
            if not isinstance(each.get(name), str | None):
                raise ShapeError(f"{JUDGMENTS}.{number}.{name}", say("must be a text"))
        if not isinstance(each.get("messages"), list | None):
            raise ShapeError(f"{JUDGMENTS}.{number}.messages", say("must be a list"))


def planned_judgment(record: dict[str, Any], offered: Sequence[Verdict]) -> PlannedJudgment:
    """The plan for a judgment. Raises ShapeError if it is not valid."""
    said = UNSAID | {name: record[name] for name in JUDGMENT_TEXTS if record.get(name)}
    values = output_columns({**record, "text": said["text"]})
    if bool(said["verdict"]) == bool(said["unreadable_reason"]):
        raise ShapeError("verdict", say("or unreadable_reason must be there, and not both"))
    columns = {name: cleaned(name, said[name]) for name in JUDGMENT_TEXTS if name in COLUMNS}
    check_reading(columns, values, offered)
    imported = {"messages": record.get("messages") or []}
    return PlannedJudgment(values | columns | {"imported": imported}, record["judge"], said["endpoint_name"][:200])


def check_reading(columns: dict[str, Any], values: dict[str, Any], offered: Sequence[Verdict]) -> None:
    """Raises ShapeError if the verdict is not the result of its reader, in its current version, on the reply."""
    reader = next((each for each in verdict_readers().values() if each.version == columns["reader"]), None)
    if reader is None:
        return
    word = values["finish_reason"] or ("length" if values["mark"] == Mark.CUT else "")
    read = reader.read(values["text"], allowed=offered, finish_word=word)
    if ((read.verdict or ""), (read.reason or "")) != (columns["verdict"], columns["unreadable_reason"]):
        said = read.verdict or read.reason
        raise ShapeError(
            "verdict",
            say(
                "is not what the reply says: {verdict}",
                verdict=in_sentence(str(said.label)) if said else say("nothing"),
            ),
        )
