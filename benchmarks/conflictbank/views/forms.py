"""Forms for admins: files of facts, names from a wiki, claims, releases, settings, and templates of relations."""

from typing import Any

from django import forms
from django.db.models import Exists, OuterRef

from annotation.models import Release, Wiki
from core.languages import say
from core.lists.chosen_rows import RowChoice
from core.web.files import OF_LICENCE, OF_RESPONSES, file_field, licence_field, revision_field
from judging.models import LanguageModel

from ..choosing import VERSIONS, WITH_UNCERTAIN
from ..content.entities import PROPERTY
from ..items import CODE
from ..models import ClaimSet, ConflictSettings, Evidence, RelationTemplate

LARGEST_SEED = 2**63 - 1


class FactsFileForm(forms.Form):
    file = forms.FileField(
        label=say("File of facts"),
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.jsonl,.ndjson,.json"}),
    )
    revision = revision_field()
    licence = licence_field(say("Licence of the facts"))


class AnswersFileForm(forms.Form):
    """A file of answers to the items of a release."""

    file = file_field(say("File of answers (JSON Lines)"), ending="jsonl", content_type="application/x-ndjson")
    release = RowChoice(Release.objects.filter(benchmark=CODE).order_by("-number"), empty_label=None)
    version = forms.TypedChoiceField(
        label=say("Wording"),
        coerce=int,
        choices=[(1, say("the paper’s")), (2, say("the released code’s"))],
        initial=1,
        help_text=say("The wording that the models were asked."),
    )
    name = forms.CharField(
        label=say("Name of the run"),
        max_length=200,
        required=False,
        help_text=say("Empty: the names of file and release."),
    )
    revision = revision_field(OF_RESPONSES)
    licence = licence_field(say("Licence of the answers"), OF_LICENCE)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if {"file", "release"} <= given.keys() and not given.get("name"):
            given["name"] = f"{given['file'].name} on release {given['release'].number}"[:200]
        return given


class NamesForm(forms.Form):
    """The wiki that is asked for names."""

    wiki = RowChoice(
        Wiki.objects.filter(is_allowed=True).order_by("api_url"),
        empty_label=None,
        help_text=say("Such as www.wikidata.org. Wikis are allowed on the page Wikis."),
    )


def seed_field(help_text: str) -> forms.IntegerField:
    return forms.IntegerField(min_value=-LARGEST_SEED, max_value=LARGEST_SEED, help_text=help_text)


class TrainingForm(forms.Form):
    """The training of a classifier of contradictions."""

    seed = forms.IntegerField(
        initial=1,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=say("Deals the labels to the parts of the cross-validation."),
    )


class ClaimsForm(forms.Form):
    """Claims of all ready facts."""

    seed = seed_field(say("Draws objects, times and styles. The same seed and facts give the same claims."))
    made_on = forms.DateField(
        label=say("Date of the claims"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=say("Empty: today, or the date of the claims that have this seed."),
    )
    first_year = forms.IntegerField(
        label=say("First year"),
        required=False,
        min_value=1,
        max_value=9_999,
        help_text=say("The first year of times in temporal claims. Empty: the year after the date."),
    )
    leave_out_living = forms.BooleanField(
        label=say("Leave out facts about living people"),
        required=False,
        initial=True,
        help_text=say("Also those about people of whom it is not known whether they are living."),
    )


class TwinsForm(forms.Form):
    """The counterfactual twins of claims."""

    of = RowChoice(
        ClaimSet.objects.filter(twins=None, twins_of=None, finished_at__isnull=False),
        label=say("Twins of"),
        empty_label=None,
        help_text=say("They have the date and the years of these claims."),
    )
    seed = seed_field(say("Another seed than that of the claims."))


class ReleaseForm(forms.Form):
    """A release of the claims with a seed, and the evidence that a model wrote for them."""

    claims = RowChoice(
        ClaimSet.objects.filter(twins_of=None, finished_at__isnull=False), label=say("Claims"), empty_label=None
    )
    model = RowChoice(
        LanguageModel.objects.filter(Exists(Evidence.objects.filter(model=OuterRef("pk")))).order_by("name"),
        label=say("Evidence by"),
        empty_label=None,
    )
    name = forms.CharField(label=say("Name of the release"), max_length=200, initial="ConflictBank")
    version = forms.TypedChoiceField(
        label=say("Options"),
        coerce=int,
        choices=list(VERSIONS.items()),
        initial=WITH_UNCERTAIN,
        widget=forms.RadioSelect,
    )
    with_twins = forms.BooleanField(label=say("Also release the items of the claims’ twins"), required=False)

    @property
    def wanted(self) -> dict[str, Any]:
        """The arguments of a release besides its name."""
        given = self.cleaned_data
        return {
            "seed": given["claims"].seed,
            "model": given["model"],
            "version": given["version"],
            "with_twins": given["with_twins"],
        }


class ConflictSettingsForm(forms.ModelForm):
    class Meta:
        model = ConflictSettings
        fields = (
            "refusal_features",
            "fewest_characters",
            "entailment_over",
            "contradiction_over",
            "drops_last_sentence",
            "people",
            "per_person",
            "common_share",
            "least_precision",
            "bar_lifted",
        )
        labels = {
            "refusal_features": say("Refusal features"),
            "fewest_characters": say("Fewest characters of evidence"),
            "entailment_over": say("Entailed from a probability over"),
            "contradiction_over": say("A contradiction from a probability over"),
            "drops_last_sentence": say("Drop an incomplete last sentence of evidence"),
            "people": say("People who check a sample"),
            "per_person": say("Evidence per person"),
            "common_share": say("Share that everyone checks"),
            "least_precision": say("Least precision of a check"),
            "bar_lifted": say("Reason to release nevertheless"),
        }
        widgets = {"bar_lifted": forms.Textarea(attrs={"rows": 3})}


class RelationTemplateForm(forms.ModelForm):
    class Meta:
        model = RelationTemplate
        fields = ("relation", "statement", "question", "is_point")
        labels = {
            "relation": say("Relation"),
            "statement": say("Statement"),
            "question": say("Question"),
            "is_point": say("Happens at a point in time"),
        }
        widgets = {"statement": forms.TextInput, "question": forms.TextInput}

    def clean_relation(self) -> str:
        relation = str(self.cleaned_data["relation"]).strip()
        if not PROPERTY.fullmatch(relation):
            raise forms.ValidationError(say("Give the id of a property in Wikidata, such as P19."))
        return relation
