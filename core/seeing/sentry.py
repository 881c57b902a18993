"""Errors for Sentry, with SENTRY_DSN only: the kind of the error and the lines of code, and no data of people.

Nothing of a request is sent but the pattern of its address: no header, cookie, body, query or person. Of an error,
neither local variables nor its message, which can quote a text; of the log, nothing.
"""

from typing import Any

from django.conf import settings

# Parts of an event that are sent. Others, also such as a later version of the library may add, are left out.
SENT = (
    "event_id",
    "timestamp",
    "level",
    "platform",
    "release",
    "environment",
    "exception",
    "sdk",
    "type",
    "transaction",
)
FRAME = ("filename", "function", "module", "lineno", "in_app")


def start(**options: Any) -> None:
    """Send errors of this process to Sentry from now on. `options` are for its library."""
    if not settings.SENTRY_DSN:
        return
    # Imported only here: most sites have no Sentry.
    import sentry_sdk
    from sentry_sdk.integrations.atexit import AtexitIntegration
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.django import DjangoIntegration
    from sentry_sdk.integrations.excepthook import ExcepthookIntegration

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        server_name="",
        ignore_errors=[KeyboardInterrupt],
        default_integrations=False,
        auto_enabling_integrations=False,
        auto_session_tracking=False,
        send_client_reports=False,
        propagate_traces=False,
        integrations=[
            DjangoIntegration(transaction_style="url", middleware_spans=False, signals_spans=False),
            CeleryIntegration(propagate_traces=False),
            # The error that ends a command, and two seconds at the end of a process for what is not sent yet.
            ExcepthookIntegration(),
            AtexitIntegration(callback=lambda _pending, _seconds: None),
        ],
        before_send=only_code,
        before_send_transaction=lambda _event, _hint: None,
        **options,
    )


def only_code(event: Any, _hint: dict[str, Any]) -> Any:
    """The event with nothing but kinds of errors and lines of code."""
    sent = {name: event[name] for name in SENT if name in event}
    sent["transaction"] = str(sent.get("transaction") or "")[:200]
    sent["exception"] = {
        "values": [_without_data(each) for each in (event.get("exception") or {}).get("values") or []]
    }
    return sent


def _without_data(error: dict[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames") or []
    told = {name: error[name] for name in ("type", "module") if error.get(name)}
    return told | {
        "value": "",
        "stacktrace": {"frames": [{name: frame[name] for name in FRAME if name in frame} for frame in frames]},
    }
