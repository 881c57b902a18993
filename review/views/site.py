"""For admins: the site of a release, to be published."""

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from annotation.releases.freezing import get_release
from core.models import Role
from core.navigation.closing import closed_because
from core.web.access import SignedInRequest, role_required
from core.web.files import download
from judging.runs.blinding import refuse_names, why_hidden

from ..site.pages import Site
from ..site.results import public_scope
from ..site.writing import zipped
from .reports import note_reading


@role_required(Role.ADMIN)
@require_GET
@closed_because(why_hidden)
def download_site(request: SignedInRequest, number: int) -> HttpResponseBase:
    """All files in one zip file. It omits runs that are still being judged, so people who judge are refused: the
    missing runs would reveal the models.
    """
    release = get_release(number)
    refuse_names(request.user)
    note_reading(request, public_scope(release))
    site = Site(release)
    name = f"{site.file_name}-site"
    return download(f"{name}.zip", zipped(site.files(), folder=name))
