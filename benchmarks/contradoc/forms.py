"""The form of the page on which documents are imported."""

from django import forms

from annotation.kinds.registry import name_of
from core.languages import say
from core.web.files import licence_field, revision_field

from .maker.maker import MAKER


class DocumentsFileForm(forms.Form):
    file = forms.FileField(
        label=say("File of documents"),
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.ndjson"}),
    )
    benchmark = forms.ChoiceField(
        label=say("Benchmark"),
        choices=lambda: [(MAKER.benchmark, name_of(MAKER.benchmark))],
    )
    revision = revision_field()
    licence = licence_field()
