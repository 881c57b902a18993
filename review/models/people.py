"""People who may judge and adjudicate: the one definition for pages, programs, rules and files."""

from django.db.models import QuerySet

from core.models import Role, User

# The role of people who judge.
JUDGE = Role.REVIEWER
# Roles that the pages of adjudication admit: in some rounds the people who judged adjudicate together.
ADJUDICATORS = (Role.ADJUDICATOR, JUDGE)


def judges() -> QuerySet[User]:
    """People who may judge, by user name."""
    return with_role_of_judge().filter(is_active=True)


def with_role_of_judge() -> QuerySet[User]:
    """People with the role, also those whose account is closed: files may bring their earlier judgments."""
    return User.objects.filter(groups__name=JUDGE).order_by("username")


def may_judge(person: User) -> bool:
    """Return whether this person is among `judges()`."""
    return person.is_active and person.has_role(JUDGE)
