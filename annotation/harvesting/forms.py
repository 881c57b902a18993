"""The forms of the pages Harvest and Wikis."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from core.languages import say
from core.lists.chosen_rows import RowChoice
from core.lists.missing import if_empty
from core.refusals import Refusal

from ..models import Family, HarvestSource, Wiki
from .harvests import DEEPEST
from .sources import known_names, names_of_lines
from .uploads import MOST_BYTES

# Sources whose number of articles is not known in advance.
COUNTABLE = (HarvestSource.TEMPLATE, HarvestSource.CATEGORY)
MEGABYTES = MOST_BYTES // 2**20


class WikiField(RowChoice):
    """Wikis by name and host, as many have the same name."""

    def label_from_instance(self, wiki: Wiki) -> str:
        return f"{wiki.name} · {wiki.host}"


class SourceForm(forms.Form):
    """All sources in one form; only the fields of the chosen source are read.

    Attributes:
        needed: for each source, the fields without which it cannot be read, with what to say where one is empty.
    """

    needed: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    wiki = WikiField(Wiki.objects.filter(is_allowed=True), label=say("Wiki"), required=False)
    dump_wiki = WikiField(
        Wiki.objects.all(),
        label=say("Wiki that the dump comes from"),
        required=False,
        help_text=say("Articles are recognised by their page number in this wiki. The wiki itself is not contacted."),
    )

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        for name in ("wiki", "dump_wiki"):
            if_empty(self.fields[name], say("No wiki is allowed yet."), say("Allow a wiki"), "wikis")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        for name, message in self.needed.get(values.get("source") or "", {}).items():
            if not values.get(name) and name not in self.errors:
                self.add_error(name, message)
        return values


class HarvestForm(SourceForm):
    needed = {
        HarvestSource.TEMPLATE: {"wiki": say("Choose the wiki.")},
        HarvestSource.CATEGORY: {"wiki": say("Choose the wiki."), "category": say("Name the category.")},
        HarvestSource.TITLES: {"wiki": say("Choose the wiki."), "titles": say("Give at least one title.")},
        HarvestSource.DUMP: {"dump_wiki": say("Choose the wiki."), "dump": say("Choose the file.")},
        HarvestSource.TASKS: {"tasks": say("Choose the file.")},
    }

    source = forms.ChoiceField(
        label=say("Source"), choices=HarvestSource, widget=forms.RadioSelect, initial=HarvestSource.TEMPLATE
    )
    families = forms.MultipleChoiceField(
        label=say("Tag types"),
        choices=Family,
        widget=forms.CheckboxSelectMultiple,
        initial=Family.values,
        required=False,
        help_text=say("Each tag type includes all spellings that the wiki redirects to it."),
    )
    names = forms.CharField(
        label=say("Other templates"),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        required=False,
        help_text=say("For wikis in other languages, one per line with its type: Widerspruch=contradict-other"),
    )
    category = forms.CharField(
        label=say("Category"),
        required=False,
        max_length=300,
        help_text=say("Such as “All self-contradictory articles”. Monthly sub-categories are always read."),
    )
    depth = forms.IntegerField(
        label=say("Levels of sub-categories"),
        min_value=0,
        max_value=DEEPEST,
        initial=0,
        required=False,
        help_text=say("0: only the category and its monthly ones. Each level adds the sub-categories below."),
    )
    most = forms.IntegerField(
        label=say("Limit on articles"),
        min_value=1,
        max_value=10_000_000,
        required=False,
        help_text=say("The harvest stops after this many articles. Leave empty for all."),
    )
    titles = forms.CharField(
        label=say("Titles"),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        required=False,
        help_text=say("Titles or addresses of articles, one per line."),
    )
    dump = forms.FileField(
        label=say("Dump file"),
        required=False,
        help_text=say(
            "XML, plain or compressed as .gz or .bz2, up to {megabytes} MB, kept on the server until it is "
            "read. Harvest larger ones on the server: manage.py harvest_articles --dump FILE",
            megabytes=MEGABYTES,
        ),
    )
    tasks = forms.FileField(
        label=say("Tasks JSON file"),
        required=False,
        help_text=say(
            "A list of records with title, url, paragraph_A, paragraph_A_clean, tag, tagDate and tagReason, as "
            "in the paper or in Label Studio's wrapping."
        ),
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("source") == HarvestSource.TEMPLATE:
            self._clean_names(values)
        return values

    def _clean_names(self, values: dict[str, Any]) -> None:
        lines = [line for line in values.get("names", "").splitlines() if line.strip()]
        try:
            values["names"] = names_of_lines(lines, known_names(values.get("wiki")))
        except Refusal as refusal:
            self.add_error("names", refusal.message)
        if not lines and not values.get("families"):
            self.add_error("families", say("Choose at least one tag type, or name a template."))

    @property
    def is_countable(self) -> bool:
        return self.cleaned_data["source"] in COUNTABLE

    def refuse(self, message: str) -> None:
        """Show the reason at the chosen source's field; the typed values stay."""
        source = self.cleaned_data["source"]
        self.add_error({"dump": "dump", "tasks": "tasks"}.get(source, "wiki"), message)

    @property
    def file(self):
        """The uploaded file, if the source is one."""
        return self.cleaned_data.get(self.cleaned_data["source"]) if self.is_file else None

    @property
    def is_file(self) -> bool:
        return self.cleaned_data["source"] in (HarvestSource.DUMP, HarvestSource.TASKS)

    def request(self) -> dict[str, Any]:
        """The arguments for `start_harvest`, without the path of an uploaded file."""
        values, source = self.cleaned_data, self.cleaned_data["source"]
        parameters: dict[str, object] = {}
        if source == HarvestSource.TEMPLATE:
            parameters = {"names": values["names"], "families": values["families"]}
        elif source == HarvestSource.CATEGORY:
            parameters = {"category": values["category"], "depth": values["depth"] or 0}
        elif source == HarvestSource.TITLES:
            parameters = {"titles": values["titles"].splitlines()}
        if source in COUNTABLE and values["most"]:
            parameters["most"] = values["most"]
        wiki = values["dump_wiki"] if source == HarvestSource.DUMP else values["wiki"]
        return {"source": source, "wiki": wiki, "parameters": parameters}


class WikiForm(forms.Form):
    address = forms.CharField(
        label=say("Address of the wiki"),
        max_length=500,
        help_text=say("Its host, such as en.wikipedia.org, or the address of its api.php."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "inputmode": "url"}),
    )
