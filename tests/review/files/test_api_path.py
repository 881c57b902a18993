"""`docs/api.md` as it stands: from a tag to a report, over a real server."""

import re
from pathlib import Path
from typing import Any

import pytest

from core.accounts.tokens import make_token
from core.models import Role
from judging.catalogue.standard import install_standard
from review.models import FinalVerdict, How
from tests.conftest import make_person
from tests.factories import TagFactory

ROOT = Path(__file__).parents[3]


@pytest.mark.django_db(transaction=True)
def test_the_whole_path(live_server):
    code = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text(), re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 40
    install_standard()
    TagFactory()
    names: dict[str, Any] = {"SITE": live_server.url}
    cast = {
        "anna": [Role.ANNOTATOR],
        "rita": [Role.REVIEWER],
        "ralph": [Role.REVIEWER],
        "ada": [Role.ADJUDICATOR, Role.ADMIN],
    }
    for name, roles in cast.items():
        person = make_person(name, *roles)
        names[name.upper()] = make_token(person=person, name="doc", may_work=True, may_administer=True)[1]
    exec(code, names)
    assert set(FinalVerdict.objects.values_list("verdict", "how")) == {("incorrect", How.ADJUDICATED)}
    templates = names["report"]["table2"]
    assert templates.keys() == {"template_4", "template_5"}
    assert all(model["all"]["IC"]["count"] == 1 for models in templates.values() for model in models.values())
