"""The forms of the pages for templates and runs."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, cast

from django import forms

from annotation.kinds.registry import is_annotated, name_of
from annotation.models import Release
from core.languages import changed, in_words_of, say
from core.lists.chosen_rows import RowChoice, RowsChoice
from core.lists.filters import SUBMITS, ColumnFilters
from core.lists.missing import if_empty
from core.outside import MOST_NUMBER
from core.refusals import Refusal
from core.web.files import OF_LICENCE, OF_RESPONSES, file_field, licence_field, revision_field
from core.words import in_currency

from .catalogue.language_models import answerers, judges
from .catalogue.prompt_templates import find_problem
from .making.registry import ChecksAsked, GenerationAsked, Making
from .models import LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from .protocol.prompts import ALL, ANSWERS
from .protocol.tasks import (
    Task,
    all_applies_to,
    all_expects,
    benchmarks_in_files,
    first_reader,
    first_task,
    judged_tasks,
    task_codes,
    task_of,
    tasks,
    tasks_of,
    verdict_readers,
)
from .protocol.verdicts import Verdict
from .responses.listing import runs_that_get_verdicts
from .runs.runs import check_models, check_templates


class RunFilters(ColumnFilters):
    """The filters of the list of runs."""

    state = forms.ChoiceField(choices=RunState, label=say("State"), widget=forms.Select(attrs=SUBMITS))
    kind = forms.ChoiceField(choices=RunKind, label=say("Kind"), widget=forms.Select(attrs=SUBMITS))

    def __init__(self, values: Mapping[str, str]):
        super().__init__(values)
        self.offer(state=(say("All"), RunState.choices), kind=(say("All"), RunKind.choices))


class PromptField(forms.CharField):
    """A text kept unchanged: nothing is stripped, and a line break sent by a browser as two characters is one."""

    def __init__(self, *, rows: int, **options: Any):
        widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
        super().__init__(strip=False, widget=widget, **options)

    def to_python(self, value: object) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


def help_with_placeholders(task: Task) -> str:
    names = ", ".join(f"{{{name}}}" for name in sorted(task.placeholders))
    return say("{names} are filled in unchanged. Nothing is stripped: a line break at the end is sent.", names=names)


def _in_words(choices: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The choices in the language of the page."""
    return [(code, in_words_of(words)) for code, words in choices]


class TemplateForm(forms.Form):
    """A new wording, or a new template."""

    code = forms.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z",
        max_length=20,
        help_text=say(
            "A short name without spaces. With the code of an existing prompt, this becomes its next version."
        ),
    )
    name = forms.CharField(max_length=100, help_text=say("A short description of the prompt."))
    task = forms.TypedChoiceField(
        label=say("Task"),
        choices=lambda: [(each.code, each.name) for each in tasks()],
        required=False,
        initial=first_task,
        help_text=say("The benchmark of its instances, and the reader of its replies."),
    )
    system = forms.CharField(
        label=say("System message"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    text = PromptField(rows=9)
    other_text = PromptField(rows=5, required=False)
    applies_to = forms.TypedChoiceField(
        label=say("Instances"), choices=lambda: _in_words(all_applies_to()), empty_value=ALL, widget=forms.RadioSelect
    )
    verdicts = forms.MultipleChoiceField(
        label=say("Verdicts offered"),
        choices=lambda: _in_words(Verdict.choices),
        widget=forms.CheckboxSelectMultiple,
    )
    expects = forms.TypedChoiceField(
        label=say("A good response contains"),
        choices=lambda: _in_words(all_expects()),
        empty_value=ANSWERS,
        widget=forms.RadioSelect,
        help_text=say("Used by the baseline judge; judge models read the correct answers below."),
    )
    correct_answers = forms.CharField(
        label=say("Correct answers"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    source = forms.CharField(
        label=say("Source"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=say("The source of the wording, and its reason."),
    )

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        code = (self.data.get("task") if self.is_bound else self.initial.get("task")) or first_task()
        # Responses to other tasks are read instead of being compared with answers.
        self.is_compared = code in judged_tasks()
        words = task_of(code if code in task_codes() else first_task())
        self.fields["text"].help_text = words.text_help or help_with_placeholders(words)
        self.fields["other_text"].label = words.other_text_label
        self.fields["other_text"].help_text = words.other_text_help
        self.fields["correct_answers"].help_text = words.answers_help
        for name in ("verdicts", "correct_answers", "applies_to", "expects"):
            self.fields[name].required = self.is_compared

    @classmethod
    def initial_of(cls, template: PromptTemplate) -> dict[str, object]:
        values = {name: getattr(template, name) for name in cls.base_fields}
        return {**values, "correct_answers": "\n".join(template.correct_answers)}

    def clean_task(self) -> str:
        return self.cleaned_data["task"] or first_task()

    def clean_correct_answers(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["correct_answers"].splitlines() if line.strip()]

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if not self.errors and (problem := find_problem(self.template())):
            self.add_error(None, problem)
        return values

    def template(self) -> PromptTemplate:
        return PromptTemplate(**self.cleaned_data)


def budget_field() -> forms.DecimalField:
    return forms.DecimalField(
        label=in_currency(say("Budget")),
        max_digits=12,
        decimal_places=4,
        min_value=Decimal(0),
        required=False,
        help_text=say("The run stops before the next call could exceed it. Empty: no limit."),
    )


def in_batches_field() -> forms.BooleanField:
    return forms.BooleanField(
        label=say("Send the calls in batches"),
        required=False,
        help_text=say("Cheaper, and done within a day. Only for models whose provider offers batches."),
    )


def reuses_replies_field() -> forms.BooleanField:
    return forms.BooleanField(
        label=say("Reuse cached replies of earlier runs"),
        required=False,
        help_text=say("Of models asked at temperature 0. Costs nothing; each such reply is marked as reused."),
    )


def responses_field() -> RowsChoice:
    """Responses, instead of all those of runs."""
    return RowsChoice(
        Response.objects.all(),
        to_field_name="key",
        required=False,
        widget=forms.MultipleHiddenInput,
        help_text=say("The keys of responses, instead of runs."),
    )


class PlannedRunForm(forms.Form):
    """The form of a planned run. A refusal is shown beside the choice that caused it."""

    name = forms.CharField(
        max_length=200, required=False, help_text=say("A name that people will recognise. Optional.")
    )

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if not self.errors:
            try:
                check_models(values["language_models"], budget=values.get("budget"), in_batches=values["in_batches"])
                if "templates" in values:
                    check_templates(values["release"], values["templates"])
            except Refusal as refusal:
                self.add_error(None, refusal.message)
        return values


class ReleaseChoice(RowChoice):
    """A release with its benchmark, unless it is made of annotations."""

    def label_from_instance(self, release: Release) -> str:
        return str(release) if is_annotated(release.benchmark) else f"{release} ({name_of(release.benchmark)})"


class RunForm(PlannedRunForm):
    """A run in which models answer: its models and prompts."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        released = set(Release.objects.order_by().values_list("benchmark", flat=True).distinct())
        self.has_benchmarks = not all(is_annotated(benchmark) for benchmark in released)
        left_out = self.fields["include_left_out"]
        for task in tasks():
            if task.left_out_label:
                left_out.label, left_out.help_text = task.left_out_label, task.left_out_help
        codes = [code for benchmark in released for code in tasks_of(benchmark)]
        field = cast(RowsChoice, self.fields["templates"])
        field.queryset = PromptTemplate.objects.offered().filter(task__in=codes)

    release = ReleaseChoice(Release.objects.order_by("-number"), empty_label=None)
    language_models = RowsChoice(answerers(), label=say("Models"), widget=forms.CheckboxSelectMultiple)
    templates = RowsChoice(
        PromptTemplate.objects.offered(), label=say("Prompts"), widget=forms.CheckboxSelectMultiple
    )
    repetitions = forms.IntegerField(
        label=say("Repetitions"),
        min_value=1,
        max_value=100,
        initial=1,
        help_text=say("The number of answers by each model to each prompt; 1 in the paper."),
    )
    budget = budget_field()
    include_left_out = forms.BooleanField(
        label=say("Also ask about instances that prompts usually leave out"), required=False
    )
    only_missing = forms.BooleanField(
        label=say("Leave out requests that a model answered in an earlier run"), required=False
    )
    in_batches = in_batches_field()
    reuses_replies = reuses_replies_field()


class JudgeRunForm(PlannedRunForm):
    """A run in which models judge: the runs whose responses are judged, or a selection from the page."""

    source_runs = RowsChoice(
        Run.objects.none(),
        label=say("Responses of"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    responses = responses_field()
    language_models = RowsChoice(judges(), label=say("Judge models"), widget=forms.CheckboxSelectMultiple)
    reader = forms.TypedChoiceField(
        label=say("Reader of the replies"),
        choices=lambda: [(each.code, each.label) for each in verdict_readers().values()],
        initial=first_reader,
        required=False,
        widget=forms.RadioSelect,
        help_text=say("Each judgment keeps the reader and its version."),
    )
    as_json_schema = forms.BooleanField(
        label=say("Request the verdict by a JSON schema"),
        required=False,
        help_text=say("The prompt does not change. Only for models that accept a schema; choose “Also JSON” above."),
    )
    budget = budget_field()
    include_marked = forms.BooleanField(
        label=say("Also judge responses that were not complete (cut, empty, refused, filtered, interrupted)"),
        required=False,
    )
    in_batches = in_batches_field()
    reuses_replies = reuses_replies_field()

    def __init__(self, *arguments: Any, **values: Any):
        super().__init__(*arguments, **values)
        cast(RowsChoice, self.fields["source_runs"]).queryset = runs_that_get_verdicts()

    def clean_reader(self) -> str:
        return self.cleaned_data["reader"] or first_reader()


class GenerationForm(PlannedRunForm):
    """A run in which models make the material of a benchmark's items."""

    method = forms.ChoiceField(label=say("Method"), widget=forms.RadioSelect)
    language_models = RowsChoice(
        LanguageModel.objects.none(), label=say("Models"), widget=forms.CheckboxSelectMultiple
    )
    budget = budget_field()
    only_missing = forms.BooleanField(
        label=say("Leave out what a model has written about with this method"), required=False
    )
    in_batches = in_batches_field()

    def __init__(self, *args: Any, making: Making, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.making = making
        methods = list(making.methods.items())
        initial = making.default_method or (methods[0][0] if len(methods) == 1 else None)
        self.fields["method"] = forms.ChoiceField(
            label=say("Method"), choices=methods, initial=initial, widget=forms.RadioSelect
        )
        models = cast(RowsChoice, self.fields["language_models"])
        models.queryset = making.writers()
        models.help_text = making.pages.models if making.pages else ""

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if not self.errors:
            try:
                self.making.plan_generation(self.asked)
            except Refusal as refusal:
                self.add_error(None, refusal.message)
        return values

    @property
    def asked(self) -> GenerationAsked:
        return GenerationAsked(**self.cleaned_data)


class ChecksForm(forms.Form):
    """The components for the checks of what was made."""

    budget = budget_field()
    again = forms.BooleanField(label=say("Also repeat checks that had no component before"), required=False)

    def __init__(self, *args: Any, making: Making, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.measures = [measure.code for measure in making.measures]
        models = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT)
        names = [(name, name) for name in models.order_by("name").values_list("name", flat=True)]
        for measure in making.measures:
            self.fields[measure.code] = forms.ChoiceField(
                choices=[*making.components(measure), *names],
                required=False,
                label=changed(measure.words, lambda text: text[:1].upper() + text[1:]),
                help_text=measure.help,
            )
            if_empty(self.fields[measure.code], say("No model is set up yet."), say("Add a model"), "model_new")
        self.order_fields([*self.measures, "budget", "again"])

    @property
    def asked(self) -> ChecksAsked:
        given = self.cleaned_data
        components = {code: given[code] for code in self.measures}
        return ChecksAsked(components=components, budget=given["budget"], again=given["again"])


class BudgetForm(forms.Form):
    budget = budget_field()


class ResponsesFileForm(forms.Form):
    file = forms.FileField(
        label=say("File of responses"),
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.jsonl,.csv,.eval,application/json,text/csv"}),
    )
    name = forms.CharField(
        label=say("Name of the run"),
        max_length=200,
        required=False,
        help_text=say("For records that name none. Empty: the name of the file."),
    )
    model = forms.CharField(
        label=say("Model"),
        max_length=100,
        required=False,
        help_text=say("Only for samples of lm-evaluation-harness, which do not contain it."),
    )
    release = RowChoice(
        Release.objects.order_by("-number"),
        required=False,
        empty_label=say("none"),
        help_text=say("The release of question_ID, for records without one."),
    )
    revision = revision_field(OF_RESPONSES)
    licence = licence_field(say("Licence of the responses"), OF_LICENCE)

    def clean(self) -> dict[str, object]:
        given = self.cleaned_data
        if "file" in given and not given.get("name"):
            given["name"] = given["file"].name
        return given


class RepliesFileForm(forms.Form):
    """Replies to the tasks of a benchmark, with its scripts' names for documents and tasks."""

    file = file_field(say("File of replies (JSON Lines)"), ending="jsonl", content_type="application/x-ndjson")
    release = RowChoice(Release.objects.none(), help_text=say("The release of the documents."))
    version = forms.IntegerField(
        label=say("Version of the prompts"),
        initial=1,
        min_value=1,
        max_value=MOST_NUMBER,
        required=False,
        help_text=say("The wording that the models were asked: 1 is the paper's."),
    )
    name = forms.CharField(
        label=say("Name of the run"),
        max_length=200,
        required=False,
        help_text=say("Empty: the names of file and release."),
    )
    revision = revision_field(OF_RESPONSES)
    licence = licence_field(say("Licence of the replies"), OF_LICENCE)

    def __init__(self, *arguments: Any, **values: Any):
        super().__init__(*arguments, **values)
        releases = Release.objects.filter(benchmark__in=benchmarks_in_files())
        field = cast(RowChoice, self.fields["release"])
        field.queryset = releases.order_by("-number")

    def clean_version(self) -> int:
        return self.cleaned_data["version"] or 1

    def clean(self) -> dict[str, object]:
        given = self.cleaned_data
        if {"file", "release"} <= given.keys() and not given.get("name"):
            given["name"] = f"{given['file'].name} on release {given['release'].number}"[:200]
        return given
