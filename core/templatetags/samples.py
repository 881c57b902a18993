"""Tells pages whether the reader is one of the sample people of a first start."""

from django import template

from ..accounts.sample_people import is_sample_person
from ..models import User

register = template.Library()


@register.filter
def is_sample(user: User) -> bool:
    """Return whether this is a sample account on a site for this machine only."""
    return is_sample_person(user)
