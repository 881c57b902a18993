"""The plots of the reports as pictures for print."""

import io
import xml.etree.ElementTree as ElementTree
from itertools import product

import numpy as np
import pytest
from django.urls import reverse
from PIL import Image

from core.refusals import Refusal
from review.reports.drawing import plots
from review.reports.drawing.pictures import KINDS, MOST_LINES, picture
from tests.wikicontradict.test_table2 import IC, C, P, fill

VERDICTS = ["correct", "partially_correct", "incorrect"]
HOSTILE = "a$b$ <script>&amp; \\frac{1}{0} \u202e模"
PLOTS = [
    plots.Bars(
        HOSTILE,
        [
            plots.bar(
                HOSTILE,
                [plots.Share(kind, count) for kind, count in zip(VERDICTS, (20, 10, 18), strict=True)],
                aside="n 48",
                group=HOSTILE,
                whisker=plots.Point(20 / 48, 0.3, 0.55),
            ),
            plots.bar("empty", []),
        ],
    ),
    plots.intervals(
        HOSTILE,
        [("", HOSTILE, [plots.Point(0.1, -0.1, 0.3, kind="ring"), plots.Point(0.2, kind="diamond")], "n 48")],
        ticks=(-0.4, 0, 0.4),
        legend=[("circle", "told apart"), ("ring", HOSTILE)],
        has_zero=True,
    ),
    plots.heat_map(
        HOSTILE,
        [[3, 1, 0], [2, 7, 1], [0, 0, 9]],
        VERDICTS,
        rows_are=HOSTILE,
        columns_are="judge",
        labels=dict.fromkeys(VERDICTS, ""),
    ),
    plots.Grid(HOSTILE, ["1", HOSTILE], [(HOSTILE, [plots.GridField("81.3", 8), plots.GridField("")])], HOSTILE),
    plots.amounts(HOSTILE, [(HOSTILE, 3, "3 USD"), ("nothing", 0, "0 USD")]),
    plots.intervals("nothing yet", [], ticks=(0, 1)),
]


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_each_kind_of_plot_is_a_picture_whatever_its_names_are(plot):
    svg = ElementTree.fromstring(picture(plot, "svg", title=HOSTILE))
    assert svg.tag.endswith("svg")
    assert not [each for each in svg.iter() if each.tag.endswith("script")]
    assert picture(plot, "pdf", title=HOSTILE).startswith(b"%PDF")
    with Image.open(io.BytesIO(picture(plot, "png", title=HOSTILE))) as image:
        grey = np.asarray(image.convert("L"))
        # 200 dots an inch: at least 3 inches wide; ink on paper, in grey as well.
        assert image.width >= 600
        assert grey.max() > 240
        assert grey.min() < 80


def test_the_same_plot_is_the_same_file():
    for kind in ("svg", "pdf"):
        assert picture(PLOTS[2], kind, title="x") == picture(PLOTS[2], kind, title="x")


def test_bars_and_amounts_have_an_axis_with_its_unit():
    assert plots.amounts("Costs", [("A", 3, "3 USD"), ("B", 1, "1 USD")]).ticks == [("0%", "0"), ("100%", "3 USD")]
    assert plots.amounts("Costs", []).ticks == [("0%", "0")]
    assert plots.Bars.ticks[-1] == ("100%", "100%")


@pytest.mark.filterwarnings("ignore:Glyph")
def test_letters_that_no_font_has_are_named_in_the_picture():
    """Hieroglyphs, which the fonts of servers lack; what is drawn as outlines stands in the file as a comment."""
    rows = [("", "model 𓀀 of 𓂀", [plots.Point(0.5)], "")]
    svg = picture(plots.intervals("some", rows, ticks=(0, 1)), "svg", title="x").decode()
    assert "no font on this server has are drawn as boxes: U+13000, U+13080" in svg
    known = plots.intervals("some", [("", "modèle", [plots.Point(0.5)], "")], ticks=(0, 1))
    assert b"no font on this server" not in picture(known, "svg", title="x")


def test_a_plot_that_no_page_holds_is_refused():
    rows = [("", f"model {number}", [plots.Point(0.5)], "") for number in range(MOST_LINES + 1)]
    with pytest.raises(Refusal, match="Narrow the report"):
        picture(plots.intervals("many", rows, ticks=(0, 1)), "svg", title="x")


@pytest.mark.django_db
def test_every_plot_of_a_page_can_be_downloaded(admin, sign_in):
    fill(*[C] * 8, *[P] * 4, *[IC] * 4)
    client = sign_in(admin)
    shown = client.get(reverse("report", args=["table2"])).content.decode()
    types = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
    for number, kind in product((1, 2), KINDS):
        address = reverse("report_picture", args=["table2", number, kind])
        assert f'href="{address}?' in shown
        response = client.get(address)
        assert response["Content-Type"] == types[kind]
        assert f"wikicontradict-table2-{number}.{kind}" in response["Content-Disposition"]
        assert response.content[:5] in (b"<?xml", b"%PDF-", b"\x89PNG\r")
    for name, number, kind in [
        ("table2", 3, "svg"),
        ("table2", 0, "svg"),
        ("table2", 2**63, "svg"),
        ("table2", 1, "gif"),
    ]:
        assert client.get(reverse("report_picture", args=[name, number, kind])).status_code == 404


@pytest.mark.django_db
def test_an_empty_report_has_no_picture(admin, sign_in):
    assert sign_in(admin).get(reverse("report_picture", args=["table2", 1, "svg"])).status_code == 404
