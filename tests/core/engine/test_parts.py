"""Tables and buttons that most pages have."""

import pytest
from django.template import Context, Template
from django.urls import reverse


def shown(text: str, **values: object) -> str:
    return Template(text).render(Context({"csrf_token": "a-token", **values}))


def test_a_table_is_a_region_with_its_columns_and_rows():
    assert shown(
        '{% table "Run" "#Calls" "(Change)" heading="runs" cursor=True class="wide" %}<tr></tr>{% endtable %}'
    ) == (
        '<div class="scroll-x" tabindex="0" role="region" aria-labelledby="runs"><table data-cursor class="wide">'
        '<thead><tr><th scope="col">Run</th><th scope="col" class="number">Calls</th>'
        '<th scope="col"><span class="visually-hidden">Change</span></th></tr></thead>'
        "<tbody><tr></tr></tbody></table></div>"
    )


def test_a_label_is_text():
    assert 'aria-label="&lt;b&gt;"><table>' in shown('{% table "A" label=label %}{% endtable %}', label="<b>")


@pytest.mark.parametrize("value", ["go", "<go>"])
def test_a_button_posts_to_its_page(value):
    text = '{% button_to "account_theme" class="quiet" value=value %}Go, {{ person }}{% endbutton_to %}'
    written = value.replace("<", "&lt;").replace(">", "&gt;")
    assert shown(text, person="<Anna>", value=value) == (
        f'<form method="post" action="{reverse("account_theme")}">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="a-token">'
        f'<button type="submit" class="quiet" value="{written}">Go, &lt;Anna&gt;</button></form>'
    )
