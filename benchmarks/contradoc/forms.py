"""The form of the page on which documents are imported."""

from django import forms

from annotation.kinds.registry import name_of
from core.files.provenance import NAME_LENGTH
from core.web.files import revision_field

from .maker.maker import MAKER


class DocumentsFileForm(forms.Form):
    file = forms.FileField(
        label="File of documents",
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.ndjson"}),
    )
    benchmark = forms.ChoiceField(
        label="Benchmark",
        choices=lambda: [(MAKER.benchmark, name_of(MAKER.benchmark))],
    )
    revision = revision_field()
    licence = forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label="Licence of the texts",
        help_text="The datasheets of releases made from these documents name it.",
    )
