"""For reviewers: annotations of one tag side by side, to be merged."""

from itertools import groupby

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.languages import say
from core.models import Role
from core.outside import version_number
from core.web.access import SignedInRequest, role_required

from ...content.fields import STEPS
from ...content.marking import mark_tag
from ...desk.visibility import note_opened
from ...models import Annotation
from ...reviewing import queue
from ...reviewing.merge_form import ShownPart, choices_before, choices_of, shown_parts
from ...reviewing.merging import Comparison, NotMerged, comparison_of, merge_annotations, merge_of


@role_required(Role.REVIEWER, Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: SignedInRequest, pk: int) -> HttpResponse:
    """The annotations of this one's tag side by side; a post merges them, and leads to the next."""
    shown = queue.find_annotation(reviewer=request.user, pk=pk)
    compared = comparison_of(shown.tag, reviewer=request.user)
    note_opened(compared.originals, reader=request.user)
    if request.method != "POST":
        choices = choices_before(compared, merge_of(shown.tag))
        return render(request, "annotation/merge.html", _context(shown, compared, shown_parts(compared, choices, {})))
    choices = choices_of(request.POST, compared)
    versions = {each.pk: version_number(request.POST.get(f"version:{each.pk}")) for each in compared.originals}
    try:
        made = merge_annotations(tag=shown.tag, reviewer=request.user, choices=choices, seen_versions=versions)
    except NotMerged as refused:
        parts = shown_parts(compared, choices, refused.problems)
        return render(request, "annotation/merge.html", _context(shown, compared, parts), status=refused.status)
    title = shown.tag.article.title
    if made.is_merge:
        messages.success(request, say("Merged and accepted: {title}.", title=title))
    else:
        messages.success(request, say("Accepted as {writer} has it: {title}.", writer=made.writer, title=title))
    following = queue.next_annotation(reviewer=request.user, after=shown)
    return redirect(queue.address_of(following, reviewer=request.user))


def _context(shown: Annotation, compared: Comparison, parts: list[ShownPart]) -> dict[str, object]:
    steps = groupby(parts, key=lambda each: each.part.step)
    return {
        "annotation": shown,
        "tag": shown.tag,
        "originals": compared.originals,
        "steps": [(number, STEPS[number], *_apart(list(of))) for number, of in steps],
        "same": sum(part.part.agree for part in parts),
        "total": len(parts),
        "problems": [part for part in parts if part.problems],
        "paragraph": mark_tag(shown.tag.raw, shown.tag.paragraph),
        "source": queue.source_address(shown.tag.article),
    }


def _apart(parts: list[ShownPart]) -> tuple[list[ShownPart], list[ShownPart]]:
    """The parts that differ, and those on which all agree."""
    return [each for each in parts if not each.part.agree], [each for each in parts if each.part.agree]
