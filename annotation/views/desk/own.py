"""Annotations of the person making the request; others get a 404."""

from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404

from core.engine.queries.instances import PreparedInstances
from core.outside import MOST_NUMBER
from core.web.access import SignedInRequest

from ...assisting.drafts import FIELDS_DRAFTED
from ...models import Annotation, GuidelineRead, GuidelineVersion, ModelSuggestion, Suggestion, SuggestionOutcome


def own_annotation(request: SignedInRequest, pk: int) -> Annotation:
    """This person's annotation, without the article's wikitext, which may be megabytes. Raises Http404 if another
    person wrote it."""
    return _found(_WHOLE, request, pk)


def own_row(request: SignedInRequest, pk: int) -> Annotation:
    """The same without the tag and the draft, for callers that need neither."""
    return _found(_ROW, request, pk)


def own_or_none(request: SignedInRequest, pk: int | None) -> Annotation | None:
    """An annotation that a request only mentions: None if it is another person's."""
    return _ROW.first(pk=pk, person=request.user.pk) if pk and pk <= MOST_NUMBER else None


def _found(query: PreparedInstances[Annotation], request: SignedInRequest, pk: int) -> Annotation:
    annotation = query.first(pk=pk, person=request.user.pk) if pk <= MOST_NUMBER else None
    if annotation is None:
        raise Http404
    return annotation


def _has_suggestions() -> Exists:
    return Exists(ModelSuggestion.objects.filter(annotation=OuterRef("pk")))


def _has_drafts() -> Exists:
    used = Suggestion.objects.filter(annotation=OuterRef("pk"), field__in=FIELDS_DRAFTED)
    return Exists(used.filter(outcome=SuggestionOutcome.ACCEPTED))


def _guideline(person: int) -> dict[str, Subquery]:
    latest = GuidelineVersion.objects.order_by("-number")
    read = GuidelineRead.objects.filter(person=person).order_by("-version")
    return {
        "latest_guideline": Subquery(latest.values("number")[:1]),
        "guideline_since": Subquery(latest.values("published_at")[:1]),
        "guideline_read": Subquery(read.values("version")[:1]),
    }


_ROW = PreparedInstances(
    lambda pk, person: Annotation.objects.with_settings().filter(pk=pk, annotator=person).order_by(),
    pk=int,
    person=int,
)
_WHOLE = PreparedInstances(
    lambda pk, person: (
        Annotation.objects.with_settings()
        .annotate(has_model_suggestions=_has_suggestions(), has_drafts=_has_drafts())  # type: ignore[no-redef]
        .annotate(**_guideline(person))
        .filter(pk=pk, annotator=person)
        .select_related("tag__article__wiki", "reviewed_by", "draft")
        .defer("tag__article__wikitext")
        .order_by()
    ),
    pk=int,
    person=int,
)
