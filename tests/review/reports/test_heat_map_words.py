"""The heat map of two people's verdicts: its rows and columns have the verdicts' names, not their codes."""

from django.template.loader import render_to_string

from review.reports.drawing.plots import heat_map
from review.reports.kinds import LABELS


def test_rows_and_columns_are_named_in_words():
    kinds = ["correct", "partially_correct", "incorrect"]
    plot = heat_map("All", [[1, 0, 0]] * 3, kinds, rows_are="one", columns_are="the other", labels=LABELS)
    page = render_to_string(plot.template, {"plot": plot})
    assert "one: Partially correct" in page
    assert "the other: Partially correct" in page
    assert ": partially_correct" not in page
