"""The list of candidates for admins: filtered, the likeliest first, a page at a time."""

from functools import cache

from django import forms
from django.db.models import QuerySet

from core.languages import say
from core.lists.filters import SUBMITS, Filters, SearchField
from core.lists.pages import ChipCounts, Window
from core.lists.search import found_in, search_note
from core.models import User

from ..models import Article, Candidate, CandidateKind, CandidateState

FILTERS = ("q", "kind", "state")
ORDER = ("-score", "-pk")
# One's own last decisions, which a button undoes.
MOST_LATEST = 3


class CandidateFilters(Filters):
    """The filters of the list of candidates."""

    q = SearchField(label=say("Title"))
    search_note = search_note(say("titles"), say("articles"))
    kind = forms.ChoiceField(
        label=say("Kind"),
        choices=[("", say("every comparison")), *CandidateKind.choices],
        widget=forms.Select(attrs=SUBMITS),
    )
    state = forms.ChoiceField(choices=CandidateState.choices, widget=forms.HiddenInput)

    def candidates(self) -> QuerySet[Candidate]:
        """The chosen candidates, unordered."""
        found = Candidate.objects.select_related("article__wiki", "decided_by").defer("article__wikitext")
        for name in ("kind", "state"):
            if self.chosen[name]:
                found = found.filter(**{name: self.chosen[name]})
        if self.chosen["q"]:
            found = found.filter(article__in=found_in(Article.objects.all(), "title", self.chosen["q"]))
        return found.prefetch_related("tags")

    def window(self) -> Window:
        """A superset of the chosen candidates, the likeliest first, served by an index."""
        state, names = self.chosen["state"], [name for name in FILTERS if self.chosen[name]]
        rows = Candidate.objects.filter(state=state) if state else Candidate.objects.all()
        return Window(rows, ORDER, is_whole=names in ([], ["state"]))


@cache
def chip_counts() -> ChipCounts[str]:
    """The number of candidates in each state."""
    return ChipCounts({state: (_in_state(state), Candidate.objects.all()) for state in CandidateState.values})


def _in_state(state: str) -> Window:
    return Window(Candidate.objects.filter(state=state), ORDER, is_whole=True)


def latest_decisions(admin: User) -> list[Candidate]:
    """The candidates that this person decided on last."""
    rows = Candidate.objects.filter(decided_by=admin).select_related("article").defer("article__wikitext")
    return list(rows.order_by("-decided_at", "-pk")[:MOST_LATEST])
