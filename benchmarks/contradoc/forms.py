"""Forms of the pages on which models make and check candidates."""

from typing import Any

from django import forms

from annotation.kinds.registry import name_of
from core.files.provenance import NAME_LENGTH
from core.lists.chosen_rows import RowsChoice
from core.web.files import revision_field
from judging.forms import PlannedRunForm, budget_field, in_batches_field
from judging.models import LanguageModel, ModelKind

from .making.components import MEASURES, NAMES, PERPLEXITY, local_folder
from .making.registry import Maker, makers
from .models import CheckSettings

# What a measure needs, beside its field.
HELP = {PERPLEXITY: "Its endpoint must return the probabilities of a text’s tokens, as vLLM’s does."}


class GenerationForm(PlannedRunForm):
    """A run in which models contradict statements of documents."""

    method = forms.ChoiceField(widget=forms.RadioSelect)
    language_models = RowsChoice(
        LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT),
        label="Models",
        widget=forms.CheckboxSelectMultiple,
        help_text="Their token limit has to be enough for ten statements: some 1,000.",
    )
    budget = budget_field()
    only_missing = forms.BooleanField(
        label="Leave out documents that a model has written about with this method", required=False
    )
    in_batches = in_batches_field()

    def __init__(self, *args: Any, maker: Maker, **kwargs: Any):
        super().__init__(*args, **kwargs)
        choices = [(each.code, f"{each.name}: {each.asks_for} statements") for each in maker.methods.values()]
        self.fields["method"] = forms.ChoiceField(choices=choices, widget=forms.RadioSelect)


class ChecksForm(forms.Form):
    """The components for the checks of candidates."""

    budget = budget_field()
    again = forms.BooleanField(label="Also make checks that were not made before", required=False)
    field_order = [*MEASURES, "budget", "again"]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        models = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT)
        names = list(models.order_by("name").values_list("name", flat=True))
        for measure in MEASURES:
            folder = local_folder(measure)
            nothing = f"the local model {folder.name}" if folder else "nothing: not checked"
            self.fields[measure] = forms.ChoiceField(
                choices=[("", nothing), *((name, name) for name in names)],
                required=False,
                label=NAMES[measure].capitalize(),
                help_text=HELP.get(measure, ""),
            )
        self.order_fields(self.field_order)


class ThresholdsForm(forms.ModelForm):
    class Meta:
        model = CheckSettings
        fields = ("contradiction_over", "insertion_rise", "replacement_rise", "next_sentence_over", "window")


class DocumentsFileForm(forms.Form):
    file = forms.FileField(
        label="File of documents",
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.ndjson"}),
    )
    benchmark = forms.ChoiceField(
        label="For the benchmark",
        choices=lambda: [(maker.benchmark, name_of(maker.benchmark)) for maker in makers()],
    )
    revision = revision_field()
    licence = forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label="Licence of the texts",
        help_text="The datasheets of releases made from these documents name it.",
    )
