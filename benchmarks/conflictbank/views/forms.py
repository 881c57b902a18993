"""Forms for admins: the settings of conflicts, and another version of a relation's template."""

from django import forms

from ..content.entities import PROPERTY
from ..models import ConflictSettings, RelationTemplate


class ConflictSettingsForm(forms.ModelForm):
    class Meta:
        model = ConflictSettings
        fields = (
            "refusal_features",
            "fewest_characters",
            "entailment_over",
            "contradiction_over",
            "window",
            "drops_last_sentence",
            "people",
            "per_person",
            "common_share",
            "least_precision",
            "bar_lifted",
        )


class RelationTemplateForm(forms.ModelForm):
    class Meta:
        model = RelationTemplate
        fields = ("relation", "statement", "question", "is_point")
        widgets = {"statement": forms.TextInput, "question": forms.TextInput}

    def clean_relation(self) -> str:
        relation = str(self.cleaned_data["relation"]).strip()
        if not PROPERTY.fullmatch(relation):
            raise forms.ValidationError("Give the id of a property in Wikidata, such as P19.")
        return relation
