"""For admins: the webhook addresses, and the outcome of each message."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from ..accounts.confirming import confirm_first
from ..languages import say
from ..lists.pages import Window, page_of
from ..models import Delivery, DeliveryAttempt, Role, Webhook
from ..web.access import SignedInRequest, role_required
from ..web.kept_text import accepted
from ..webhooks import webhooks as rules
from ..webhooks.forms import NewWebhookForm, WebhookForm
from ..webhooks.outbox import known_deliveries


@role_required(Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@confirm_first
def webhooks(request: SignedInRequest) -> HttpResponse:
    form = NewWebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        webhook, secret = rules.add_webhook(admin=request.user, **form.cleaned_data)
        accepted(request)
        return _secret_page(request, webhook, secret)
    context = {"form": form, "webhooks": Webhook.objects.all()}
    return render(request, "core/webhooks.html", context, status=400 if form.errors else 200)


def _secret_page(request: SignedInRequest, webhook: Webhook, secret: str) -> HttpResponse:
    """Show the secret in the answer to the POST itself, so that it is stored nowhere."""
    return render(request, "core/webhook_secret.html", {"webhook": webhook, "secret": secret})


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(Webhook, pk=pk)
    form = WebhookForm(request.POST or None, initial={"events": row.events, "is_on": row.is_on})
    if request.method == "POST" and form.is_valid():
        changed = rules.change_webhook(webhook=row, admin=request.user, **form.cleaned_data)
        messages.success(request, say("The webhook is saved.") if changed else say("There were no changes to save."))
        return redirect("webhook", pk)
    attempts = Prefetch("attempts", queryset=DeliveryAttempt.objects.order_by("-pk"))
    deliveries = Delivery.objects.filter(webhook=row)
    known = known_deliveries(request.user).filter(webhook=row).prefetch_related(attempts)
    page = page_of(request, known, window=Window(deliveries), most=20)
    context = {"webhook": row, "form": form, "page": page}
    return render(request, "core/webhook.html", context, status=400 if form.errors else 200)


@role_required(Role.ADMIN)
@never_cache
@require_POST
def new_secret(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(Webhook, pk=pk)
    return _secret_page(request, row, rules.make_secret(webhook=row, admin=request.user))


@role_required(Role.ADMIN)
@require_POST
def send_ping(request: SignedInRequest, pk: int) -> HttpResponse:
    rules.ping(webhook=get_object_or_404(Webhook, pk=pk))
    messages.success(request, say("A test message is being sent. Reload this page to see its outcome."))
    return redirect("webhook", pk)


@role_required(Role.ADMIN)
@require_POST
def deliver_again(request: SignedInRequest, key: UUID) -> HttpResponse:
    row = get_object_or_404(known_deliveries(request.user).select_related("webhook"), key=key)
    rules.send_again(delivery=row, admin=request.user)
    messages.success(request, say("The message will be sent again, with the same id."))
    return redirect("webhook", row.webhook_id)
