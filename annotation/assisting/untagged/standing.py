"""Looks for the texts of a candidate in a later version of its page. Text in, answers out."""

from collections.abc import Sequence

from .facts import facts_in
from .pages import light_page, readable_lines
from .totals import wrong_totals


def standing(title: str, wikitext: str, texts: Sequence[str]) -> list[bool]:
    """For each text, read as for candidates, whether the page has it. The sum of a table stands as long as it differs
    from the table's total.
    """
    page = light_page(title, wikitext)
    said = [line.text for line in readable_lines(page)]
    said += [fact.said for fact in facts_in(page)]
    said += [part for wrong in wrong_totals(page.text) for part in (wrong.row, wrong.adds_up)]
    return [any(text in each for each in said) for text in texts]
