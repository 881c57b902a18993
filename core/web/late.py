"""Addresses whose views are imported when the first of them is asked for, so that nobody else waits for these."""

from django.urls import URLResolver
from django.urls.resolvers import RoutePattern


class LateResolver(URLResolver):
    """The addresses below `route`, in a namespace: Django looks into it only for an address or a name in it."""

    def __init__(self, route: str, urlconf: str, namespace: str):
        super().__init__(RoutePattern(route), urlconf, app_name=namespace, namespace=namespace)

    def _populate(self) -> None:
        # Asked of every resolver when the first page is put together. For a name in the namespace, Django makes a
        # resolver of its own from the patterns.
        pass
