"""The output of commands about runs, and following a run."""

import signal
import time
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from django.core.management.base import CommandError

from core.files.commands import partly_done
from core.files.telling import Telling
from core.words import money, plural

from ..models import ModelKind, Run, RunState
from .plan import Plan
from .progress.progress import Group, Progress, progress_of
from .pump import stopping

SECONDS_BETWEEN_LOOKS = 1.0
# Warn after this many checks without a sign of a worker.
SILENT_LOOKS = 15


def find_run(number: int) -> Run:
    run = Run.objects.filter(pk=number).first()
    if run is None:
        raise CommandError(f"There is no run {number}. manage.py run_status lists them.")
    return run


def plan_lines(plan: Plan) -> list[str]:
    """The plan as a table, with the omissions."""
    lines = [f"{'model':30} {'calls':>8} {'there':>7} {'tokens in':>12} {'out':>10} {'cost':>12} {'at most':>12}"]
    lines += [
        f"{each.model.name[:30]:30} {each.calls:8,} {each.already_there:7,} {each.tokens_in:12,} "
        f"{each.tokens_out:10,} {money(each.money, 'no price'):>12} {money(each.most_money, 'no price'):>12}"
        for each in plan.models
    ]
    for each in plan.models:
        if each.model.kind == ModelKind.ENDPOINT:
            unbilled = ", ".join(each.model.unbilled) or "nothing"
            lines.append(f"{each.model.name}: not billed, so retried: {unbilled}.")
        if plan.run.in_batches and each.calls and each.model.kind == ModelKind.ENDPOINT:
            part = f"{each.model.batch_price_factor.normalize():f}"
            batches = plural(each.batches, "batch", "batches")
            lines.append(f"{each.model.name}: in about {batches}, at {part} of the normal price.")
        if each.reused:
            lines.append(f"{each.model.name}: {each.reused:,} replies are reused from earlier runs, at no cost.")
        if each.model in plan.always_asked:
            lines.append(f"{each.model.name}: no reply is reused, because its temperature is not 0.")
        if each.answered_before:
            lines.append(f"{each.model.name}: an earlier run has answers to {each.answered_before:,} of these.")
        if each.too_long:
            lines.append(
                f"{each.model.name}: {each.too_long:,} of these are longer than its context window of "
                f"{each.model.context_window:,} tokens; the longest needs about {each.longest:,}."
            )
    lines += [
        f"Left out with prompt {label}: {n:,}, because {why}." for (label, why), n in sorted(plan.left_out.items())
    ]
    lines.append(f"{plural(plan.calls, 'call')}; {_costs(plan)}.")
    return lines


def _costs(plan: Plan) -> str:
    if plan.money is None:
        return "none of its models has a price"
    most = "no upper limit" if plan.most_money is None else f"at most {money(plan.most_money)}"
    return f"cost {money(plan.money)}, {most}"


def progress_line(progress: Progress) -> str:
    counts = progress.counts
    state = f"{progress.run.get_state_display().lower()}: {counts.done:,} of {counts.total:,} done"
    return ", ".join([state, *details(progress)])


def details(progress: Progress) -> list[str]:
    """Additional facts besides the progress."""
    counts, left = progress.counts, progress.time_left
    parts = [
        f"{counts.failed:,} failed",
        f"{counts.in_doubt:,} in doubt",
        f"{counts.open:,} left",
        f"{progress.tokens_in + progress.tokens_out:,} tokens",
    ]
    if progress.run.reuses_replies:
        parts.append(f"{progress.reused:,} reused")
    if progress.with_marks_left:
        parts.append(f"{progress.with_marks_left:,} with possible marks of thoughts left in the answer")
    if progress.has_prices:
        perhaps = f" and perhaps {money(progress.perhaps_spent)}" if progress.perhaps_spent else ""
        parts.append(f"cost {money(progress.spent)}{perhaps}")
    if counts.open:
        parts.append(f"{progress.calls_a_minute:,} calls per minute")
    if left:
        minutes, seconds = divmod(round(left.total_seconds()), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return parts


def problem_lines(progress: Progress) -> list[str]:
    """Failed, doubtful and waiting calls, and what to do about them."""
    number = progress.run.pk
    lines = [f"  failed {g.calls:,} ({g.model}, group {g.key}): {g.words}. {g.example}" for g in progress.failed]
    if progress.failed_elsewhere:
        lines.append(f"  failed {progress.failed_elsewhere:,} in smaller groups")
    if progress.failed:
        lines.append(f"  Repeat with: manage.py resume_run {number} --retry-failed [--group GROUP]")
    lines += [f"  in doubt {g.calls:,} ({g.model}, group {g.key}): {g.words}. {g.example}" for g in progress.in_doubt]
    if progress.in_doubt:
        cost = f", at most {money(progress.doubt_costs)} more" if progress.has_prices else ""
        lines.append(f"  Perhaps paid. Repeat{cost}: manage.py resume_run {number} --repeat-in-doubt")
    lines += [
        f"  {each.model} is paused until {each.waits_until:%Y-%m-%d %H:%M:%S} UTC: {each.waits_because} "
        "An admin can lift the pause on the model's page."
        for each in progress.models
        if each.waits_until
    ]
    if progress.run.state == RunState.STOPPED:
        lines.append(f"  Its budget is used up. Continue with: manage.py resume_run {number} --budget AMOUNT")
    return lines


CALLS = ("total", "done", "failed", "in_doubt", "sent", "left", "cancelled")


def as_json(progress: Progress) -> dict[str, object]:
    run = progress.run
    return {
        "run": run.pk,
        "name": run.name,
        "kind": run.kind,
        "state": run.state,
        "calls": {name: getattr(progress.counts, name) for name in CALLS},
        "marks": dict(progress.marks),
        "tokens_in": progress.tokens_in,
        "tokens_out": progress.tokens_out,
        "tokens_cached": progress.tokens_cached,
        "reused": progress.reused,
        "with_marks_left": progress.with_marks_left,
        "spent": str(progress.spent),
        "perhaps_spent": str(progress.perhaps_spent),
        "budget": None if run.budget is None else str(run.budget),
        "calls_a_minute": progress.calls_a_minute,
        "seconds_left": progress.time_left.total_seconds() if progress.time_left else None,
        "waiting": [
            {"model": each.model.name, "until": each.waits_until.isoformat(), "because": each.waits_because}
            for each in progress.models
            if each.waits_until
        ],
        "failed": [group_as_json(group) for group in progress.failed],
        "in_doubt": [group_as_json(group) for group in progress.in_doubt],
    }


def group_as_json(group: Group) -> dict[str, object]:
    return {
        "group": group.key,
        "model": group.model,
        "reason": group.reason,
        "message": group.example,
        "calls": group.calls,
    }


def amount(text: str) -> Decimal:
    """An amount of money as typed. Raises ValueError if it is not one."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError from None
    if not value.is_finite() or value < 0:
        raise ValueError
    return value


def work_here(run: Run, make_calls: Callable[[Callable[[], object]], object], telling: Telling) -> Progress:
    """Have `make_calls` make the calls in this process and show the progress. On Ctrl+C, calls in flight are
    completed first; batches stay at their provider, for the next worker.
    """

    def watch() -> None:
        run.refresh_from_db()
        tell(progress_of(run), telling)

    def stop(*_args: object) -> None:
        telling.line("Stopping: waiting for the calls in flight.")
        stopping.set()

    stopping.clear()
    before = signal.signal(signal.SIGINT, stop)
    try:
        make_calls(watch)
    finally:
        signal.signal(signal.SIGINT, before)
    run.refresh_from_db()
    progress = progress_of(run)
    # A worker has taken the rest of the calls: there is nothing to make here, and it is not done yet.
    others_make_them = run.state == RunState.RUNNING and progress.counts.sent and not stopping.is_set()
    return follow(run, telling) if others_make_them else progress


def follow(run: Run, telling: Telling) -> Progress:
    """Show the progress of the run until it stops; returns its last progress."""
    looks, said = 0, ""
    while True:
        run.refresh_from_db()
        progress = progress_of(run)
        tell(progress, telling)
        line = progress_line(progress)
        if line != said:
            said, looks = line, 0
        if run.state != RunState.RUNNING and not progress.counts.sent:
            return progress
        looks += 1
        if looks == SILENT_LOOKS and not progress.counts.sent:
            telling.line(
                "Nothing is happening. Is a worker running (manage.py up)? With --here, this command makes "
                "the calls itself."
            )
        time.sleep(SECONDS_BETWEEN_LOOKS)


def tell(progress: Progress, telling: Telling) -> None:
    counts = progress.counts
    telling.tell(
        f"Run {progress.run.pk}", counts.total - counts.open, counts.total, more=", ".join(details(progress))
    )


def finish(progress: Progress, write: Callable[[str], object]) -> None:
    """Report the run's progress, and the remaining decisions. Raises CommandError if it did not finish."""
    write(progress_line(progress))
    for line in problem_lines(progress):
        write(line)
    if progress.run.state != RunState.FINISHED or progress.counts.failed or progress.counts.in_doubt:
        number = progress.run.pk
        raise partly_done(
            f"Run {number} is not complete: see above. Its results so far are kept. manage.py resume_run "
            f"{number} continues it."
        )
