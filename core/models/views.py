"""Saved views of lists: the filters and the order of a list, kept under a name."""

from django.db import models
from django.db.models import Q

from .people import User


class SavedView(models.Model):
    """A person's name for a list with some filters. `search` is the query of its address without the page."""

    PATH_LENGTH, SEARCH_LENGTH, NAME_LENGTH = 200, 1000, 60

    person = models.ForeignKey(User, models.PROTECT, related_name="saved_views", db_index=False)
    # The path of the list.
    path = models.CharField(max_length=PATH_LENGTH)
    search = models.CharField(max_length=SEARCH_LENGTH)
    name = models.CharField(max_length=NAME_LENGTH)
    # Among the person's views of this list.
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["path", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["person", "path", "name"], name="one_view_of_a_name_on_a_list"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(search=""), name="a_view_has_a_name_and_filters"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"{self.path}?{self.search}"
