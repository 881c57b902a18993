"""Nothing that leaves the site as data depends on the language of the person who asks for it."""

from core.models import Role, User
from tests.conftest import signed_in
from tests.core.addresses import LISTED, let_in
from tests.core.asking import address

# They say when they were asked, or list the downloads of this test itself.
OF_THE_MOMENT = {"account_data", "person_data", "api:activity", "metrics", "ready", "health"}


def chosen(person: User, language: str):
    User.objects.filter(pk=person.pk).update(language=language)
    return signed_in(User.objects.get(pk=person.pk))


def test_what_programs_read_is_the_same_for_a_german_admin(rows):
    amir = User.objects.get(username="amir")
    answers = {}
    for language in ("", "de"):
        client = chosen(amir, language)
        got = {name: client.get(address(name, rows)) for name in LISTED if let_in(name, Role.ADMIN)}
        answers[language] = {
            name: b"".join(answer) for name, answer in got.items() if "html" not in answer.get("Content-Type", "")
        }
    differ = [name for name, body in answers[""].items() if body != answers["de"][name] and name not in OF_THE_MOMENT]
    assert differ == []
    assert len(answers[""]) > 20
