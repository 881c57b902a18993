"""For admins: the quality of one person's work, and its files."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotation.desk.review_sample import review_share_context
from core.languages import say
from core.models import Role, User
from core.refusals import Refusal
from core.web import files
from core.web.access import SignedInRequest, role_required

from ..models import Saw
from ..reports.drawing.pictures import KINDS, picture
from ..reports.formats import FORMATS
from ..reports.layout import Report
from ..reports.people.judged_by import MOST_ROUNDS, closed_rounds
from ..reports.people.quality import person_quality
from ..rounds.rounds import hidden_from
from ..rounds.turns.seen import record_seen


@role_required(Role.ADMIN)
@require_GET
def quality(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    pictures = f"{reverse('person_quality', args=[pk])}plots/"
    context = {"person": person, "report": quality_for(request.user, person), "pictures": pictures}
    if person.has_role(Role.ANNOTATOR):
        context |= {"is_annotator": True, **review_share_context(person)}
    return render(request, "review/person_quality.html", context)


@role_required(Role.ADMIN)
@require_GET
def download(request: SignedInRequest, pk: int, kind: str) -> HttpResponseBase:
    person = get_object_or_404(User, pk=pk)
    if kind not in ("csv", "json"):
        raise Refusal(say("The quality of a person's work cannot be downloaded as “{kind}”.", kind=kind), status=404)
    return files.download(f"quality-{pk}.{kind}", FORMATS[kind](quality_for(request.user, person)))


@role_required(Role.ADMIN)
@require_GET
def plot_picture(request: SignedInRequest, pk: int, number: int, kind: str) -> HttpResponseBase:
    """One plot of the page for print, by its number there."""
    person = get_object_or_404(User, pk=pk)
    if kind not in KINDS:
        raise Refusal(say("A plot cannot be downloaded as “{kind}”.", kind=kind), status=404)
    report = quality_for(request.user, person)
    if not 1 <= number <= len(report.plots):
        raise Refusal(say("This page has no such plot."), status=404)
    content = picture(report.plots[number - 1], kind, title=report.title)
    return files.download(f"quality-{pk}-{number}.{kind}", content)


def quality_for(reader: User, person: User) -> Report:
    """The quality of this person's work. The reader counts as having seen the verdicts of its closed rounds, so that
    one that is reopened later gives them none of its responses.
    """
    hidden = list(hidden_from(reader))
    rounds = closed_rounds(person, hidden=hidden)[:MOST_ROUNDS]
    record_seen(person=reader, what=Saw.VERDICTS, rounds=list(rounds))
    return person_quality(person, reader=reader, hidden=hidden)
