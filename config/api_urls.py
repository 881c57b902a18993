"""The addresses of the API, below `/api/v1/`."""

from django.urls import include, path

urlpatterns = [
    path("", include("core.api.urls")),
    path("", include("annotation.api.urls")),
    path("", include("judging.api.urls")),
    path("", include("review.api.urls")),
    path("", include("benchmarks.wikicontradict.api.urls")),
    path("", include("benchmarks.conflictbank.api.urls")),
]
