"""The activity log for admins: the events it shows, and the window in which an index finds them."""

from django import forms
from django.db.models import Q, QuerySet
from django.utils.functional import cached_property

from .engine.queries.parameters import Numbers
from .languages import say
from .leaving.pseudonyms import mask_events
from .lists.filters import SUBMITS, Filters, RowField, SearchField
from .lists.pages import Window
from .models import Event, User
from .models.events import open_log_kinds
from .outside import whole_number


class LogFilters(Filters):
    """The filters of the activity log."""

    kind = forms.ChoiceField(
        label=say("About"),
        choices=lambda: [("", "everything"), *((kind, kind) for kind in open_log_kinds())],
        widget=forms.Select(attrs=SUBMITS),
    )
    # Written, as a list to choose from would have everybody who ever took part.
    actor = SearchField(label=say("By (user name)"))
    subject = RowField(label=say("Number"), widget=forms.TextInput(attrs={"inputmode": "numeric"}))

    @cached_property
    def person(self) -> int:
        """The person with the given user name or number; 0 if there is none."""
        written = self.chosen["actor"]
        named = Q(username__iexact=written)
        if number := whole_number(written):
            named |= Q(pk=number)
        found = User.objects.filter(named).order_by("pk").first() if written else None
        return found.pk if found else 0

    def events(self, reader: User) -> QuerySet[Event]:
        """The chosen events that this person may read, unordered."""
        columns = {"kind": "subject_kind", "actor": "actor", "subject": "subject_id"}
        wanted = {columns[name]: value for name, value in (self.chosen | {"actor": self.person}).items() if value}
        return Event.objects.open_log(reader).filter(**wanted)

    def window(self) -> Window:
        """A superset of the chosen events, newest first, served by the best index."""
        chosen, events = self.chosen, Event.objects.all()
        if chosen["kind"] and chosen["subject"]:
            return Window(events.filter(subject_kind=chosen["kind"], subject_id=chosen["subject"]))
        if chosen["actor"]:
            return Window(events.filter(actor=self.person))
        return Window(events.filter(subject_kind=chosen["kind"]) if chosen["kind"] else events)


def with_actors(events: Numbers) -> list[Event]:
    """These events with their actors, unordered."""
    return mask_events(list(Event.objects.filter(pk__in=events).select_related("actor").order_by()))
