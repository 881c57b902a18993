"""Tells pages whether the reader is one of the sample people of a first start."""

from django import template

from ..accounts.sample_people import DEMO_PASSWORD, is_sample_person
from ..models import User

register = template.Library()


@register.filter
def is_sample(user: User) -> bool:
    """Return whether this is a sample account on a site for this machine only."""
    return is_sample_person(user)


@register.simple_tag
def printed_password() -> str:
    """The password that sample people have in common. It is no secret: a first start prints it."""
    return DEMO_PASSWORD
