from django.urls import include, path, register_converter

from core.outside import RowConverter
from core.web.late import LateResolver

register_converter(RowConverter, "row")

urlpatterns = [
    path("", include("core.urls")),
    path("annotation/", include("annotation.urls")),
    # Before review: its reports have addresses below `review/reports/`, too.
    path("", include("benchmarks.wikicontradict.urls")),
    path("judging/", include("judging.urls")),
    path("review/", include("review.urls")),
    path("judging/", include("benchmarks.contradoc.urls")),
    path("judging/", include("benchmarks.conflictbank.urls")),
    LateResolver("api/v1/", "config.api_urls", "api"),
]

handler400 = "core.views.home.bad_request"
handler403 = "core.views.home.forbidden"
handler404 = "core.views.home.not_found"
handler500 = "core.views.home.server_error"
