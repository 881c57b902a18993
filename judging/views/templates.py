"""For admins: the prompt templates with their versions, and a new wording with a preview."""

from itertools import groupby
from typing import Any

from django.contrib import messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.models import Instance
from annotation.releases.freezing import latest_release
from core.languages import say
from core.models import Role
from core.web.access import SignedInRequest, role_required

from ..catalogue.prompt_templates import add_template, find_problem, preview
from ..forms import TemplateForm
from ..models import Call, PromptTemplate, Response
from ..protocol.prompts import ALL, ANSWERS, MissingValue
from ..protocol.tasks import Task, first_task, task_of
from ..protocol.verdicts import Verdict
from .models import number, status_of

PREVIEWED = 200
NEW = {"applies_to": ALL, "verdicts": Verdict.values, "expects": ANSWERS}


@role_required(Role.ADMIN)
@require_GET
def templates(request: SignedInRequest) -> HttpResponse:
    rows = PromptTemplate.objects.annotate(calls_made=counted(Call), responses_there=counted(Response))
    by_code = [
        (code, list(group)) for code, group in groupby(rows.order_by("code", "-version"), lambda row: row.code)
    ]
    return render(request, "judging/templates.html", {"by_code": by_code})


def counted(rows: Any) -> Coalesce:
    count = rows.objects.filter(template=OuterRef("pk")).order_by().values("template").annotate(n=Count("pk"))
    return Coalesce(Subquery(count.values("n")), 0)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def template_new(request: SignedInRequest) -> HttpResponse:
    """A new template, or with `from` the next version of one."""
    origin = PromptTemplate.objects.filter(pk=number(request.GET.get("from", ""))).first()
    usual = {**NEW, "correct_answers": "\n".join(task_of(first_task()).usual_answers)}
    initial = TemplateForm.initial_of(origin) if origin else usual
    form = TemplateForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        template = add_template(actor=request.user, template=form.template())
        messages.success(request, say("Prompt {label} is saved. New runs may use it.", label=template.label))
        return redirect("templates")
    task = origin.what if origin else task_of(first_task())
    instances = list(previewed_instances(task))
    noted = [(instance, task.note(instance.content)) for instance in instances]
    context = {"form": form, "origin": origin, "instances": noted}
    if instances and not form.is_bound and origin:
        context |= previewed(origin, instances[0])
    return render(request, "judging/template_form.html", context, status=status_of(form))


def previewed_instances(task: Task) -> QuerySet[Instance]:
    """The first instances of the latest release of the task's benchmark."""
    release = latest_release(task.benchmark)
    released = Instance.objects.filter(released_instances__release=release).order_by("released_instances__number")
    return released[:PREVIEWED] if release else Instance.objects.none()


@role_required(Role.ADMIN)
@require_POST
def template_preview(request: SignedInRequest) -> HttpResponse:
    """The prompt of the template in the form for the chosen instance, or for the first one of the task's benchmark if
    the chosen one is of another; saves nothing.
    """
    form = TemplateForm(request.POST)
    form.is_valid()
    instance = Instance.objects.filter(pk=number(request.POST.get("instance", ""))).first()
    template = PromptTemplate(**{"correct_answers": [], "verdicts": []} | form.cleaned_data)
    context: dict[str, object] = {}
    if instance and template.text and template.task:  # without one that is chosen, nothing says how to fill it
        fits = instance.benchmark == template.what.benchmark
        if shown := instance if fits else previewed_instances(template.what).first():
            context = previewed(template, shown) | {"is_another": not fits}
    return render(request, "judging/_template_preview.html", context)


def previewed(template: PromptTemplate, instance: Instance) -> dict[str, Any]:
    context: dict[str, object] = {"problem": find_problem(template), "instance": instance}
    context["is_compared"] = template.what.is_judged
    try:
        context["prompt_messages"], context["answers"] = preview(template, instance)
    except MissingValue as error:
        context["problem"] = context["problem"] or str(error)
    return context
