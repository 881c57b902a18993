"""Ask models over a release, or let judge models judge the responses of runs. Shows the plan first, and asks.

The worker makes the calls unless --here is given. Without a yes, from --yes or the terminal, nothing is started.

manage.py start_run --release 1 --models gpt-4o llama-3 --templates 1 4 5 --budget 20
manage.py start_run --judge-runs 7 --models gpt-4o
"""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Release
from annotation.releases.freezing import get_release, latest_release
from core.files.commands import RuleCommand
from core.outside import whole_number
from core.refusals import Refusal

from ...models import LanguageModel, PromptTemplate, Run
from ...protocol.tasks import first_reader, usual_templates, verdict_readers
from ...runs.plan import Plan
from ...runs.printing import amount, find_run, finish, follow, plan_lines, work_here
from ...runs.runs import create_judge_run, create_run, plan_unsaved, start_run
from ...tasks import wake_workers

INTERRUPTED = (
    "A started run continues with its worker and keeps its results. manage.py run_status shows it, manage.py "
    "pause_run stops it."
)


class Command(RuleCommand):
    help = __doc__
    interrupted = INTERRUPTED

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--release",
            type=int,
            metavar="N",
            help="the number of a release (the newest for the first prompt)",
        )
        parser.add_argument(
            "--judge-runs", type=int, nargs="+", metavar="RUN", help="judge the responses of these runs"
        )
        parser.add_argument("--models", nargs="+", required=True, metavar="NAME", help="the names of the models")
        parser.add_argument(
            "--templates",
            nargs="+",
            default=usual_templates(),
            metavar="CODE",
            help=f"the prompts by their codes ({' '.join(usual_templates())}), in their newest version, or as "
            "CODE:VERSION",
        )
        parser.add_argument(
            "--repetitions", type=int, default=1, metavar="N", help="repetitions of each request (%(default)s)"
        )
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="stop before the cost exceeds this")
        parser.add_argument("--name", default="", help="a name for the run")
        parser.add_argument(
            "--include-left-out",
            action="store_true",
            help="also ask about instances that a prompt usually leaves out",
        )
        parser.add_argument(
            "--only-missing", action="store_true", help="leave out requests that a model answered in an earlier run"
        )
        parser.add_argument(
            "--batches", action="store_true", help="send the calls in batches: cheaper, and done within a day"
        )
        parser.add_argument(
            "--reuse-replies",
            action="store_true",
            help="at temperature 0, reuse replies to the same requests from earlier runs",
        )
        parser.add_argument(
            "--include-marked",
            action="store_true",
            help="also judge responses that were not complete (cut, empty, refused, filtered, interrupted)",
        )
        parser.add_argument(
            "--reader",
            choices=list(verdict_readers()),
            default=first_reader(),
            help="the reader of judges' replies: the paper's form alone, or several forms (%(default)s)",
        )
        parser.add_argument("--json-schema", action="store_true", help="request the verdict by a JSON schema")
        add_start_options(parser)

    def handle(self, **options: Any) -> None:
        wanted = self.wanted(options)
        # Nothing is written for it: the run is created only once an admin confirms.
        plan = plan_unsaved(**wanted)
        for line in plan_lines(plan):
            self.stdout.write(line)
        refuse_nothing(plan)
        if not is_confirmed(options):
            self.stdout.write("Nothing was started.")
            return
        create = create_judge_run if "source_runs" in wanted else create_run
        run = start_run(run=create(**wanted))
        self.stdout.write(f"Run {run.pk} started. Follow it with: manage.py run_status {run.pk}")
        work(self, run, options)

    def wanted(self, options: dict[str, Any]) -> dict[str, Any]:
        """The arguments for the rules; for a judge run they include `source_runs`."""
        models = [find(LanguageModel.objects.all(), "name", name, "model") for name in options["models"]]
        common = {name: options[name] for name in ("name", "budget")}
        common |= {"language_models": models, "in_batches": options["batches"]}
        common["reuses_replies"] = options["reuse_replies"]
        if options["judge_runs"]:
            source_runs = [find_run(number) for number in options["judge_runs"]]
            how = {
                "include_marked": options["include_marked"],
                "reader": options["reader"],
                "as_json_schema": options["json_schema"],
            }
            return common | how | {"source_runs": source_runs}
        release = newest_for(options["templates"]) if options["release"] is None else get_release(options["release"])
        if release is None:
            raise Refusal("There is no release yet. Make one on the page Releases.")
        templates = [find_template(code, release.benchmark) for code in options["templates"]]
        return common | {
            "release": release,
            "templates": templates,
            "repetitions": options["repetitions"],
            "include_left_out": options["include_left_out"],
            "only_missing": options["only_missing"],
        }


def refuse_nothing(plan: Plan) -> None:
    """Raises Refusal if a run with this plan would ask nothing: it could not be started."""
    if plan.is_empty:
        raise Refusal("There are no calls to make: see above which are left out and why. Nothing was planned.")


def newest_for(codes: Sequence[str]) -> Release | None:
    """The newest release of the benchmark of the first of these templates."""
    named = find(PromptTemplate.objects.newest(), "code", codes[0].partition(":")[0], "prompt")
    return latest_release(named.benchmark)


def add_start_options(parser: CommandParser, instead: str = "start nothing") -> None:
    """Add the options of `is_confirmed` and `work`; `instead` describes a dry run."""
    parser.add_argument(
        "--dry-run", "--plan", action="store_true", dest="plan", help=f"show the plan only, and {instead}"
    )
    parser.add_argument("--yes", action="store_true", help="start without confirmation")
    add_ways_to_go_on(parser)


def add_ways_to_go_on(parser: CommandParser) -> None:
    """Add the options of `work`."""
    parser.add_argument("--wait", action="store_true", help="follow the run until it ends")
    parser.add_argument("--here", action="store_true", help="make the calls in this process, and follow")


def is_confirmed(options: dict[str, object], question: str = "Start it?") -> bool:
    """Return whether to continue after the plan: --yes, or a yes at the terminal, and no --plan."""
    if options["plan"] or options["yes"]:
        return not options["plan"]
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def work(command: RuleCommand, run: Run, options: dict[str, object]) -> None:
    """Have the calls of a started run made, here or by the worker, and follow it if requested. Raises CommandError if
    it was followed and is not complete.
    """
    if options["here"]:
        from ...call_batches.advancing import make_all_calls  # loads the client of endpoints

        progress = work_here(run, make_all_calls, command.telling)
    else:
        wake_workers()
        if not options["wait"]:
            return
        progress = follow(run, command.telling)
    command.telling.close()
    finish(progress, command.stdout.write)


def find_template(name: str, benchmark: str) -> PromptTemplate:
    """The template CODE in its newest version, or CODE:VERSION. Raises Refusal, listing the codes for the release's
    benchmark, if there is none."""
    code, _, version = name.rpartition(":")
    if code and (found := PromptTemplate.objects.filter(code=code, version=whole_number(version) or 0).first()):
        return found
    if found := PromptTemplate.objects.newest().filter(code=name).first():
        return found
    return find(PromptTemplate.objects.current(benchmark), "code", name, "prompt")


def find(rows: Any, field: str, value: str, what: str) -> Any:
    """The row with this name. Raises Refusal, listing the existing names, if there is none."""
    row = rows.filter(**{field: value}).first()
    if row is None:
        there = ", ".join(rows.order_by(field).values_list(field, flat=True)[:30])
        raise Refusal(f"There is no {what} “{value}”. There are: {there or 'none yet'}.")
    return row
