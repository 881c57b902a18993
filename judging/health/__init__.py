"""Checks of calls to models: waiting work, the spool, keys, and the hosts of endpoints."""

from core.health.checks import register
from core.languages import say
from core.seeing.now import register_section

from ..runs.now import running_runs
from .calls import call_findings, spool_findings
from .endpoints import endpoint_findings, key_findings
from .figures import register_figures


def register_checks() -> None:
    register_figures()
    register_section("judging/_now_runs.html", running_runs)
    register(say("Calls to models"), call_findings, order=40)
    register(say("Spool"), spool_findings, order=42)
    register(say("Keys of models"), key_findings, order=50)
    register(say("Endpoints of models"), endpoint_findings, order=110, is_far=True)
