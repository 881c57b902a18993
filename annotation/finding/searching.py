"""A search for contradictions that an admin starts on the page Find or through the API: its form, and the part of the
worker.
"""

from pathlib import Path
from typing import Any

from django import forms
from django.db import models

from core.background.registry import Kind
from core.files.records import read_parts, too_large
from core.languages import say
from core.models import User

from ..assisting.counterparts.pairs import FLOOR
from ..harvesting.forms import SourceForm
from .looking import Look, look_at_document, look_at_dump, look_at_stored, look_at_titles

# A document is compared as a whole, in memory.
MOST_DOCUMENT = 5_000_000
FILES = ("dump", "document")


class SearchSource(models.TextChoices):
    STORED = "stored", say("Articles and documents stored here")
    TITLES = "titles", say("A list of titles from a wiki")
    DUMP = "dump", say("An XML dump file")
    DOCUMENT = "document", say("A document in plain text")


class SearchForm(SourceForm):
    needed = {
        SearchSource.TITLES: {"wiki": say("Choose the wiki."), "titles": say("Give at least one title.")},
        SearchSource.DUMP: {"dump_wiki": say("Choose the wiki."), "dump": say("Choose the file.")},
        SearchSource.DOCUMENT: {"document": say("Choose the file.")},
    }

    source = forms.ChoiceField(
        label=say("Source"), choices=SearchSource, widget=forms.RadioSelect, initial=SearchSource.STORED
    )
    titles = forms.CharField(
        label=say("Titles"),
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        required=False,
        help_text=say("One per line. For what is stored here, leave it empty to compare everything."),
    )
    dump = forms.FileField(
        label=say("Dump file"),
        required=False,
        help_text=say(
            "XML, plain or compressed as .gz or .bz2, kept on the server until it is read. Larger ones on the "
            "server: manage.py find_contradictions --dump FILE"
        ),
    )
    document = forms.FileField(
        label=say("Document"),
        required=False,
        help_text=say("Plain text in UTF-8. The name of the file becomes the document’s title."),
    )

    def clean_titles(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["titles"].splitlines())
        return list(dict.fromkeys(line for line in lines if line))

    def clean_document(self) -> Any:
        document = self.cleaned_data["document"]
        if document and document.size > MOST_DOCUMENT:
            raise forms.ValidationError(too_large(MOST_DOCUMENT).message)
        return document


def search(given: dict[str, Any], *, check_only: bool, user: User) -> Look:
    """Look through what the form names and store the candidates, as the command does; returns the result. Raises
    Refusal if the source cannot be read.
    """
    look = Look(by=user, check_only=check_only, least=FLOOR)
    match given["source"]:
        case SearchSource.STORED:
            look_at_stored(look, titles=given["titles"])
        case SearchSource.TITLES:
            look_at_titles(look, wiki=given["wiki"], titles=given["titles"])
        case SearchSource.DUMP:
            look_at_dump(look, wiki=given["dump_wiki"], path=given["dump"].path)
        case SearchSource.DOCUMENT:
            document = given["document"]
            look_at_document(look, title=Path(document.name).stem, text="".join(read_parts(document)))
    return look


SEARCH = Kind("find", say("Search for contradictions"), SearchForm, search, page="untagged")
