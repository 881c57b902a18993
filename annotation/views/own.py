"""Annotations of the person making the request; for others they do not exist."""

from django.shortcuts import get_object_or_404

from core.web.access import SignedInRequest

from ..models import Annotation


def own_annotation(request: SignedInRequest, pk: int) -> Annotation:
    """This person's annotation, without the article's wikitext, which may be megabytes. Raises Http404 if another
    person wrote it."""
    found = Annotation.objects.select_related("tag__article__wiki", "reviewed_by", "draft")
    found = found.defer("tag__article__wikitext")
    return get_object_or_404(found, pk=pk, annotator=request.user)
