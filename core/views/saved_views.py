"""A person's saved views of lists: save the one at hand, see them all, rename, order and delete them."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from ..languages import say
from ..models import SavedView
from ..navigation import saved_views as rules
from ..web.access import SignedInRequest, role_required


class ViewForm(forms.Form):
    name = forms.CharField(max_length=SavedView.NAME_LENGTH, label=say("Name of the view"))


class NewViewForm(ViewForm):
    path = forms.CharField()
    search = forms.CharField()


@role_required()
@require_http_methods(["GET", "HEAD", "POST"])
def views(request: SignedInRequest) -> HttpResponse:
    """All of one's own views. A POST saves one, and leads back to it."""
    if request.method != "POST":
        return _page(request, ViewForm())
    form = NewViewForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    view = rules.save_view(person=request.user, **form.cleaned_data)
    messages.success(request, say("The view “{view}” is saved.", view=view))
    return HttpResponseRedirect(view.address)


@role_required()
@require_POST
def change(request: SignedInRequest, pk: int) -> HttpResponse:
    """Do what the pressed button says: move the view up or down, delete it, or rename it."""
    view = get_object_or_404(SavedView, pk=pk, person=request.user)
    wanted = request.POST.get("do", "")
    if wanted in ("up", "down"):
        rules.move_view(view=view, by=-1 if wanted == "up" else 1)
    elif wanted == "delete":
        rules.delete_view(view=view)
        messages.success(request, say("The view “{view}” is deleted.", view=view))
    else:
        form = ViewForm(request.POST)
        if not form.is_valid():
            return _page(request, form)
        rules.rename_view(view=view, name=form.cleaned_data["name"])
        messages.success(
            request, say("The view is now called “{cleaned_data}”.", cleaned_data=form.cleaned_data["name"])
        )
    return redirect("saved_views")


def _page(request: SignedInRequest, form: forms.Form) -> HttpResponse:
    context = {"lists": rules.views_by_list(request.user), "form": form, "most": SavedView.NAME_LENGTH}
    return render(request, "core/saved_views.html", context, status=400 if form.errors else 200)
