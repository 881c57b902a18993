"""Imports views when the first of their addresses is requested, so that nobody else waits for them."""

from django.urls import URLResolver
from django.urls.resolvers import RoutePattern


class LateResolver(URLResolver):
    """The addresses below `route`, in a namespace: Django loads them only for an address or a name in it."""

    def __init__(self, route: str, urlconf: str, namespace: str):
        super().__init__(RoutePattern(route), urlconf, app_name=namespace, namespace=namespace)

    def _populate(self) -> None:
        # Asked of every resolver when the first page is put together. For a name in the namespace, Django makes a
        # resolver of its own from the patterns.
        pass
