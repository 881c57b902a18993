"""A person's saved views of lists: saved, renamed, put in order and deleted. They are private, so the activity log
does not record them."""

from collections.abc import Iterable
from itertools import groupby

from django.db import transaction
from django.http import QueryDict
from django.urls import Resolver404, resolve

from ..languages import say
from ..models import Role, SavedView, User
from ..outside import is_storable
from ..refusals import Refusal
from ..writing.locking import lock
from .finding import Finder, Found, register_finders
from .items import nav_items_for
from .menu import address_of

MOST_VIEWS = 20
# The part of an address that is not a filter: the page of the list.
NOT_KEPT = ("page",)


def search_of(query: QueryDict) -> str:
    """The filters of an address in a fixed order, without the page of the list and without empty ones."""
    kept = QueryDict(mutable=True)
    for name in sorted(query):
        if name not in NOT_KEPT and (values := [value for value in query.getlist(name) if value]):
            kept.setlist(name, values)
    return kept.urlencode()


def views_of(person: User, path: str) -> list[SavedView]:
    """The person's views of the list at this path, in their order."""
    return list(SavedView.objects.filter(person=person, path=path))


@transaction.atomic
def save_view(*, person: User, path: str, search: str, name: str) -> SavedView:
    """Keep the list at `path` with the filters of `search` under this name; a view of that name gets these filters.

    Raises Refusal if there is no such page, no filter, or if the person has `MOST_VIEWS` of this list.
    """
    search = search_of(QueryDict(search))
    if not search or len(search) > SavedView.SEARCH_LENGTH or not _is_page(path):
        raise Refusal(
            say("There is no list with filters at this address. Choose filters, then save the view."), status=400
        )
    # Saving twice at once makes one view: the person's own row is the lock.
    User.objects.select_for_update().get(pk=person.pk)
    there = list(person.saved_views.filter(path=path))
    view = next((view for view in there if view.name == name), None)
    if view is None:
        if len(there) >= MOST_VIEWS:
            raise Refusal(
                say("This list has {most_views} saved views already. Delete one first.", most_views=MOST_VIEWS)
            )
        position = 1 + max((view.position for view in there), default=0)
        view = SavedView(person=person, path=path, name=name, position=position)
    view.search = search
    view.save()
    return view


@transaction.atomic
def rename_view(*, view: SavedView, name: str) -> None:
    """Raises Refusal if another view of the list has the name."""
    lock(User.objects.filter(pk=view.person_id))
    others = SavedView.objects.filter(person=view.person_id, path=view.path).exclude(pk=view.pk)
    if others.filter(name=name).exists():
        raise Refusal(say("Another view of this list is called “{name}”. Nothing was changed.", name=name))
    SavedView.objects.filter(pk=view.pk).update(name=name)


@transaction.atomic
def move_view(*, view: SavedView, by: int) -> None:
    """Move the view down by this number; up if negative. At the end of the list it stays."""
    lock(User.objects.filter(pk=view.person_id))
    views = list(SavedView.objects.filter(person=view.person_id, path=view.path))
    at = views.index(view)
    views.insert(max(0, at + by), views.pop(at))
    for position, each in enumerate(views, start=1):
        each.position = position
    SavedView.objects.bulk_update(views, ["position"])


def delete_view(*, view: SavedView) -> None:
    SavedView.objects.filter(pk=view.pk).delete()


def views_by_list(person: User) -> list[tuple[str, list[SavedView]]]:
    """All of a person's views, list by list, each with the list's name in the navigation."""
    labels = {address_of(item.url_name): item.label for item in nav_items_for(person)}
    by_path = groupby(person.saved_views.all(), key=lambda view: view.path)
    return [(labels.get(path, path), list(views)) for path, views in by_path]


def _is_page(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return is_storable(path) and len(path) <= SavedView.PATH_LENGTH


def _found(user: User, words: str) -> Iterable[Found]:
    labels = {address_of(item.url_name): item.label for item in nav_items_for(user)}
    for view in user.saved_views.filter(name__icontains=words):
        yield Found(view.name, view.address, labels.get(view.path, view.path))


def register() -> None:
    register_finders(Finder(say("Saved views"), tuple(Role.values), _found))
