"""What the person who asks wrote themselves; for others it is not there."""

from django.shortcuts import get_object_or_404

from core.web.access import SignedInRequest

from ..models import Annotation


def own_annotation(request: SignedInRequest, pk: int) -> Annotation:
    """Raises Http404 for another person's. The article's wikitext, which may be megabytes, is not read."""
    found = Annotation.objects.select_related("tag__article__wiki", "reviewed_by", "draft")
    found = found.defer("tag__article__wikitext")
    return get_object_or_404(found, pk=pk, annotator=request.user)
