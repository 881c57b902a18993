"""People whose names were taken out, and fingerprints of these names for the log, whose rows never change."""

from django.db import models
from django.utils import timezone

from .people import User


class Pseudonym(models.Model):
    """A person who is called by a number from now on."""

    # Another app has pseudonyms of models.
    log_kind = "personpseudonym"

    person = models.OneToOneField(User, models.PROTECT, related_name="pseudonym")
    at = models.DateTimeField(default=timezone.now)
    # Keyed hashes of the former user name, names and address: the names cannot be read from them.
    fingerprints = models.JSONField(default=list)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(fingerprints=[]), name="a_pseudonym_hides_names")]

    def __str__(self) -> str:
        return self.name_of(self.person_id)

    @staticmethod
    def name_of(number: int) -> str:
        return f"person-{number}"
