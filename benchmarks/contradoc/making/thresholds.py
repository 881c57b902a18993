"""Changes the thresholds of the checks of a benchmark's candidates, as a form asks for them."""

from django import forms
from django.db import transaction

from core.languages import say
from core.models import User
from core.writing.changes import change_values

from ..models import CheckSettings, ContradocAction


class ThresholdsForm(forms.ModelForm):
    class Meta:
        model = CheckSettings
        labels = {
            "contradiction_over": say("A contradiction from a probability over"),
            "insertion_rise": say("The perplexity may rise with an insertion by"),
            "replacement_rise": say("The perplexity may rise with a replacement by"),
            "next_sentence_over": say("A plausible next sentence from a probability over"),
            "window": say("Sentences on either side whose perplexity counts"),
        }
        fields = list(labels)


@transaction.atomic
def change_check_settings(*, benchmark: str, admin: User | None, **values: float | int) -> list[str]:
    """Change these thresholds, and only these; returns the names of those that changed. Measurements are kept, and
    compared with them when the checks are run again. Raises ValidationError if one is out of range.
    """
    CheckSettings.of(benchmark)
    row = CheckSettings.objects.select_for_update().get(benchmark=benchmark)
    return change_values(row, ContradocAction.CHANGED_CHECKS, actor=admin, values=values)
