"""Forms for people: a judgment, an adjudication, a round."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict

from annotation.kinds.registry import benchmarks
from annotation.models import Release
from core.languages import changed, joined, say
from core.lists.chosen_rows import RowChoice, RowsChoice
from core.lists.filters import SUBMITS, ColumnFilters
from core.lists.json_field import JSONText
from core.lists.missing import if_empty
from core.models import Consensus, Project, User
from core.outside import MOST_NUMBER, whole_number
from core.web.files import file_field
from judging.forms import responses_field
from judging.models import Run
from judging.protocol.tasks import judged_tasks
from judging.protocol.verdicts import Verdict

from .models import FEWEST_EACH, MOST_EACH, Round, RoundState
from .models.people import judges
from .rounds.dealing.choosing import runs_to_judge
from .rounds.judgments import COMMENT_LENGTH
from .rounds.questionnaires import QUESTIONNAIRES, Answers, Needs, Questionnaire


def questionnaire_choices() -> list[tuple[str, str]]:
    return [(each.code, each.name) for each in QUESTIONNAIRES.values()]


# "Sample" without a colon is the message of a site with invented data.
SAMPLE = changed(say("Sample:"), lambda text: text.rstrip(":"))


class RoundFilters(ColumnFilters):
    """The filters of the list of rounds."""

    state = forms.ChoiceField(label=say("State"), choices=RoundState, widget=forms.Select(attrs=SUBMITS))
    questionnaire = forms.ChoiceField(
        choices=questionnaire_choices, label=say("Questionnaire"), widget=forms.Select(attrs=SUBMITS)
    )

    def __init__(self, values: Mapping[str, str]):
        super().__init__(values)
        self.offer(state=(say("All"), RoundState.choices), questionnaire=(say("All"), questionnaire_choices()))


class JudgmentForm(forms.Form):
    verdict = forms.ChoiceField(choices=[("", ""), *Verdict.choices], required=False)
    answers = JSONText(
        required=False,
        help_text=say(
            "In a round with another questionnaire than the three verdicts: the answers by the names of its "
            "questions."
        ),
    )
    cannot_judge = forms.CharField(required=False, max_length=COMMENT_LENGTH)
    comment = forms.CharField(required=False, max_length=COMMENT_LENGTH)
    seconds = forms.IntegerField(required=False)
    showing = forms.UUIDField(required=False)


def answers_in(sent: QueryDict, questionnaire: Questionnaire) -> Answers:
    """The answers to the questions of a questionnaire sent by a page, not checked yet."""
    answers: Answers = {}
    for field in questionnaire.fields:
        values = sent.getlist(field.name)
        if field.most:
            numbers = [whole_number(value) for value in values if value]
            answers[field.name] = [-1 if number is None else number for number in numbers]
        else:
            answers[field.name] = values if field.many or len(values) > 1 else "".join(values)
    return answers


class ReasonForm(forms.Form):
    reason = forms.CharField(label=say("Reason"), max_length=COMMENT_LENGTH, widget=forms.Textarea(attrs={"rows": 3}))


class TakeDownForm(forms.Form):
    """A released instance that is taken down: by the release and its number in it."""

    release = RowChoice(Release.objects.order_by("-number"), label=say("Release"), empty_label=None)
    number = forms.IntegerField(label=say("Number in the release"), min_value=1, max_value=MOST_NUMBER)
    reason = forms.CharField(label=say("Reason"), max_length=COMMENT_LENGTH, widget=forms.Textarea(attrs={"rows": 2}))


class DecideForm(forms.Form):
    """A program's input: a verdict or, in a round of another questionnaire, answers; and the reason."""

    verdict = forms.ChoiceField(choices=[("", ""), *Verdict.choices], required=False)
    reason = forms.CharField(max_length=COMMENT_LENGTH)
    answers = JSONText(required=False, help_text=say("As for judgments, in a round with another questionnaire."))


# This cannot be undone: an admin who judges may have read it before.
BLIND_TO_MODELS = say(
    "No reviewer should know which model wrote a response. Admins can read it under Runs and Responses until "
    "they judge in a round, so choose people who are not admins if possible."
)


class PlannerForm(forms.Form):
    """The settings of a comparison of two models."""

    points = forms.FloatField(
        label=say("Difference"),
        min_value=1,
        max_value=100,
        initial=5,
        help_text=say("The smallest difference to detect, in percentage points of correct responses."),
    )
    power = forms.TypedChoiceField(
        label=say("Power"),
        choices=[(str(percent), say("{percent:.0f}%", percent=percent)) for percent in (80, 90, 95)],
        coerce=int,
        initial="80",
        help_text=say("The chance of detecting such a difference, in percent."),
    )
    pairs = forms.IntegerField(
        label=say("Pairs of models"),
        min_value=1,
        max_value=10_000,
        initial=1,
        help_text=say("With more pairs, each difference must be clearer, because they share the level of 0.05."),
    )
    judgments_each = forms.IntegerField(
        label=say("Judgments of each response"), min_value=1, max_value=MOST_EACH, initial=2
    )


def deadline_field() -> forms.DateField:
    return forms.DateField(
        required=False,
        label=say("Deadline"),
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        help_text=say("Shown to everybody who works in the round. Nothing ends by itself. It can be changed later."),
    )


class DeadlineForm(forms.Form):
    """The deadline of a round; empty, it has none."""

    deadline = deadline_field()


def seed_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=say("Seed"),
        initial=5,
        validators=[MinValueValidator(0), MaxValueValidator(2_147_483_647)],
        help_text=say("The same seed draws the same sample and the same orders."),
    )


class RoundForm(forms.Form):
    name = forms.CharField(label=say("Name"), max_length=100)
    runs = RowsChoice(
        Run.objects.none(),
        label=say("Runs"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=say("The runs whose responses are judged."),
    )
    responses = responses_field()
    reviewers = RowsChoice(
        User.objects.none(),
        label=say("Reviewers"),
        widget=forms.CheckboxSelectMultiple,
        help_text=joined([say("Each response goes to some of them."), BLIND_TO_MODELS]),
    )
    sample_size = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_NUMBER,
        label=SAMPLE,
        help_text=say(
            "The number of responses to judge, in proportion to model, prompt and reasoning type. Empty: all."
        ),
    )
    seed = seed_field()
    deadline = deadline_field()
    judgments_each = forms.IntegerField(
        min_value=FEWEST_EACH,
        max_value=MOST_EACH,
        label=say("Judgments of each response"),
        help_text=say(
            "The number of people who judge each response, independently of one another. The paper has two."
        ),
    )
    consensus = forms.ChoiceField(
        choices=Consensus.choices,
        widget=forms.RadioSelect,
        label=say("A final verdict without adjudication"),
        help_text=say(
            "Everything else is adjudicated. With two judgments, both rules are the same. Neither the number "
            "nor the rule can be changed later."
        ),
    )
    by_gain = forms.BooleanField(
        required=False,
        label=say("Prioritise discriminating items"),
        help_text=say(
            "Questions on which judge models expect the models to differ come first, so a comparison is clear "
            "sooner. Until everything is judged, all rates of the round are biased towards these questions, and "
            "reports say so. Leave it off if the round may end early."
        ),
    )
    with_training = forms.BooleanField(required=False, initial=True, label=say("Start with the training set"))
    training_required = forms.BooleanField(
        required=False, initial=True, label=say("The training set cannot be skipped")
    )
    check_items = forms.IntegerField(
        label=say("Check items"),
        required=False,
        min_value=0,
        max_value=10_000,
        initial=0,
        help_text=say("Responses with a known verdict, mixed in for each reviewer. Reviewers cannot recognise them."),
    )
    undo_minutes = forms.IntegerField(
        initial=Round._meta.get_field("undo_minutes").default,
        min_value=0,
        max_value=1440,
        label=say("Minutes for taking a judgment back"),
        help_text=say("A judgment counts after this time, independently of other people."),
    )
    lease_minutes = forms.IntegerField(
        initial=Round._meta.get_field("lease_minutes").default,
        min_value=1,
        max_value=1440,
        label=say("Minutes for which a response is reserved"),
        help_text=say("Idle items are reassigned to a reviewer who has finished."),
    )
    adjudicate_among_two = forms.BooleanField(
        required=False,
        label=say("Reviewers adjudicate together"),
        help_text=say(
            "They see each other's judgments of a response once all of them count, and agree on one verdict."
        ),
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["runs"].queryset = runs_to_judge(judged_tasks())  # type: ignore[attr-defined]
        self.fields["reviewers"].queryset = judges()  # type: ignore[attr-defined]
        if_empty(self.fields["runs"], say("No run has responses to judge yet."), say("Start a run"), "run_new")
        if_empty(self.fields["reviewers"], say("Nobody has the role reviewer."), say("Invite people"), "people")
        project = Project.get()
        for name in ("judgments_each", "consensus", "adjudicate_among_two"):
            self.fields[name].initial = getattr(project, name)

    def clean_check_items(self) -> int:
        return self.cleaned_data["check_items"] or 0

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if (
            bool(values.get("runs")) == bool(values.get("responses"))
            and not {"runs", "responses"} & self.errors.keys()
        ):
            self.add_error("runs", say("Choose at least one run, or some responses instead."))
        return values


class QuestionnaireRoundForm(forms.Form):
    """A round of another questionnaire than the three verdicts."""

    name = forms.CharField(label=say("Name"), max_length=100)
    runs = RowsChoice(Run.objects.none(), label=say("Runs"), widget=forms.CheckboxSelectMultiple)
    release = RowChoice(Release.objects.none(), label=say("Release"))
    reviewers = RowsChoice(User.objects.none(), label=say("Reviewers"), widget=forms.CheckboxSelectMultiple)
    sample_size = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_NUMBER,
        label=SAMPLE,
        help_text=say("The number to judge. Empty: all."),
    )
    seed = seed_field()
    deadline = deadline_field()
    undo_minutes = forms.IntegerField(
        initial=15, min_value=0, max_value=1440, label=say("Minutes for taking a judgment back")
    )
    lease_minutes = forms.IntegerField(
        initial=30,
        min_value=1,
        max_value=1440,
        label=say("Minutes for which one is reserved for the person who opened it"),
    )

    def __init__(self, questionnaire: Questionnaire, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.questionnaire = questionnaire
        if words := questionnaire.default_sample():
            self.fields["sample_size"].help_text = say("The number to judge. Empty: {words}.", words=words)
        self.fields["reviewers"].queryset = judges()  # type: ignore[attr-defined]
        if questionnaire.needs == Needs.RUNS:
            self.fields["runs"].queryset = runs_to_judge(questionnaire.tasks())  # type: ignore[attr-defined]
        else:
            del self.fields["runs"]
        if questionnaire.needs == Needs.RELEASE:
            self.fields["release"].queryset = releases_of_contents()  # type: ignore[attr-defined]
        else:
            del self.fields["release"]

    @property
    def values(self) -> dict[str, Any]:
        """The arguments of `create_round`."""
        asked = self.questionnaire
        people = len(self.cleaned_data["reviewers"])
        fewer = min(asked.judgments_each, max(asked.fewest_each, people)) if asked.fewest_each else 0
        each = {
            "questionnaire": asked.code,
            "judgments_each": fewer or asked.judgments_each,
            "with_training": False,
        }
        return {"runs": [], **self.cleaned_data, **each}


def releases_of_contents():
    """The releases that are not made of annotations."""
    return Release.objects.exclude(benchmark__in=[each.code for each in benchmarks() if each.is_annotated])


class HandOverForm(forms.Form):
    to = RowsChoice(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    most = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_NUMBER,
        label=say("Maximum"),
        help_text=say("Empty: all unjudged ones."),
    )


class ResetForm(ReasonForm):
    to = RowChoice(User.objects.none(), required=False, empty_label=say("the same person again"))


class CsvForm(forms.Form):
    file = file_field(say("CSV file"), ending="csv", content_type="text/csv")


class JudgmentsFileForm(CsvForm):
    round = forms.CharField(required=False, max_length=100, label=say("Name of the round for responses without one"))
    judgments_each = forms.IntegerField(
        required=False,
        min_value=FEWEST_EACH,
        max_value=MOST_EACH,
        label=say("Judgments of each response, if that round is new"),
        help_text=say("Empty: 2. A response with fewer has no final verdict."),
    )
    consensus = forms.ChoiceField(
        required=False,
        choices=Consensus.choices,
        label=say("A final verdict without adjudication, if that round is new"),
    )

    def clean_judgments_each(self) -> int:
        return self.cleaned_data["judgments_each"] or FEWEST_EACH

    def clean_consensus(self) -> Consensus:
        return Consensus(self.cleaned_data["consensus"] or Consensus.ALL)
