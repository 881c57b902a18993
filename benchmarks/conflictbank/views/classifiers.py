"""For admins: the components of the checks of evidence, what waits for local models, and the classifiers that are
trained on people's answers.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from core.languages import say, say_count
from core.models import Role
from core.web.access import SignedInRequest, role_required
from judging.making.local_folders import NLI, SENTENCE_ENCODER, local_folder
from judging.runs.blinding import names_models
from judging.tasks import wake_workers

from ..classifying.training import label_counts, start_training
from ..evidence.checking import stop_local
from ..evidence.counting import components_used
from ..evidence.local import waiting_here
from ..models import FEWEST_LABELS, ConflictClassifier
from .forms import TrainingForm

# Classifiers on the page, the newest first.
MOST_SHOWN = 20


@role_required(Role.ADMIN)
@names_models
@require_GET
def components(request: SignedInRequest) -> HttpResponse:
    context = {
        "components": components_used(),
        "folders": [(say("NLI model"), local_folder(NLI)), (say("Sentence encoder"), local_folder(SENTENCE_ENCODER))],
        "waiting_here": waiting_here().count(),
        "labels": label_counts(),
        "fewest": FEWEST_LABELS,
        "training": TrainingForm(),
        "classifiers": ConflictClassifier.objects.order_by("-pk")[:MOST_SHOWN],
    }
    return render(request, "conflictbank/components.html", context)


@role_required(Role.ADMIN)
@require_POST
def local_checks_stopped(request: SignedInRequest) -> HttpResponse:
    stopped = stop_local(admin=request.user)
    messages.success(
        request,
        say_count(
            stopped,
            "Stopped: {count:,} check not made. What was measured is kept.",
            "Stopped: {count:,} checks not made. What was measured is kept.",
        ),
    )
    return redirect("conflict_components")


@role_required(Role.ADMIN)
@names_models
@require_POST
def classifier_trained(request: SignedInRequest) -> HttpResponse:
    form = TrainingForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("The seed is not a whole number from 0. Nothing was started."))
        return redirect("conflict_components")
    classifier = start_training(seed=form.cleaned_data["seed"], admin=request.user)
    wake_workers()
    messages.success(request, say("{classifier} waits for the worker.", classifier=classifier))
    return redirect("conflict_components")
