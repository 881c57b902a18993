"""The forms of resolved passages and of human evaluations."""

from django import forms

from annotation.content.instances import Conflict
from annotation.models import Instance
from core.languages import say
from core.outside import MOST_NUMBER
from core.web.files import file_field
from judging.models import InstanceVariant


class ResolvedPassagesForm(forms.Form):
    """Passages 1' and 2' and their common answer."""

    passage_1 = forms.CharField(label=say("Passage 1′"), strip=False, widget=forms.Textarea(attrs={"rows": 6}))
    passage_2 = forms.CharField(
        label=say("Passage 2′"), strip=False, required=False, widget=forms.Textarea(attrs={"rows": 6})
    )
    answer = forms.CharField(
        label=say("Common answer"),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=say("One answer, as short as the answers above."),
    )
    seen_version = forms.IntegerField(min_value=0, max_value=MOST_NUMBER, widget=forms.HiddenInput)

    @classmethod
    def initial_of(cls, instance: Instance, current: InstanceVariant | None) -> dict[str, object]:
        if current is None:
            conflict = Conflict.of(instance)
            return {"passage_1": conflict.passage_1, "passage_2": conflict.passage_2, "seen_version": 0}
        return {**current.content, "seen_version": current.version}


class HumanEvaluationForm(forms.Form):
    file = file_field(
        say("Human evaluation (JSON)"),
        ending="json",
        content_type="application/json",
        help_text=say("As released with the paper, or as downloaded here."),
    )
