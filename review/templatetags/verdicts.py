"""The buttons of the judging page, rendered once per process for each set of verdicts: they were half of the
rendering of a verdict.
"""

from django import template
from django.template.loader import render_to_string

from core.engine.fragments import rendered_once

from ..rounds.turns.showing import Offered

register = template.Library()


@register.simple_tag
def verdict_buttons(offered: list[Offered]) -> str:
    return _rendered(tuple(offered))


@rendered_once
def _rendered(offered: tuple[Offered, ...]) -> str:
    return render_to_string("review/_judge_verdicts.html", {"offered": offered})
