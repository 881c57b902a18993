"""People, their roles, and the links through which their accounts are made."""

from functools import cached_property
from typing import ClassVar

from django.contrib.auth.models import AbstractUser, Group, UserManager
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac

from ..languages import say
from .names import AddressField, NameField


class Role(models.TextChoices):
    """A person's permissions; each role is the Django group of the same name."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"


# As pages name the roles.
ROLE_WORDS = {
    Role.ANNOTATOR: say("annotator"),
    Role.REVIEWER: say("reviewer"),
    Role.ADJUDICATOR: say("adjudicator"),
    Role.ADMIN: say("admin"),
}


class GroupNames(models.Func):
    """The names of a person's groups, joined with commas. Plain SQL in one piece: every request asks for these, and
    Django would group by each column of the person."""

    function = "GROUP_CONCAT"
    template = (
        "(SELECT %(function)s(auth_group.name, ',') FROM auth_group "
        "JOIN core_user_groups ON core_user_groups.group_id = auth_group.id "
        "WHERE core_user_groups.user_id = %(expressions)s)"
    )
    output_field = models.TextField()
    arity = 1

    def as_postgresql(self, compiler, connection, **extra):
        return self.as_sql(compiler, connection, function="STRING_AGG")


class PersonManager(UserManager["User"]):
    use_in_migrations = False

    def with_roles(self) -> models.QuerySet["User"]:
        """People with their roles: one query instead of two."""
        return self.annotate(group_names=GroupNames("pk"))


class User(AbstractUser):
    objects: ClassVar[PersonManager] = PersonManager()

    class Theme(models.TextChoices):
        SYSTEM = "system", say("Same as the system")
        LIGHT = "light", say("Light")
        DARK = "dark", say("Dark")

    class Mail(models.TextChoices):
        """When a person is mailed about messages from others."""

        AT_ONCE = "at_once", say("Immediately")
        DAILY = "daily", say("Once a day, in one email")
        NEVER = "never", say("Never")

    # Whether this is nobody in particular: only the person's roles are known.
    stands_for_many = False
    # Whether the admin role is held back until the person has a second factor.
    lacks_second_factor = False

    # The argument of `named`.
    NAMES = ("first_name", "last_name", "username")

    # Django's own columns, except that a name typed in another form is the same name.
    username = NameField(
        "username",
        max_length=150,
        unique=True,
        help_text=say("Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only."),
        validators=[AbstractUser.username_validator],
        error_messages={"unique": "A user with that username already exists."},
    )
    first_name = NameField("first name", max_length=150, blank=True)
    last_name = NameField("last name", max_length=150, blank=True)
    email = AddressField("email address", blank=True)

    theme = models.CharField(max_length=10, choices=Theme, default=Theme.SYSTEM)
    mail = models.CharField(max_length=10, choices=Mail, default=Mail.DAILY)
    # Of pages, by its code in the settings; "" until the person chooses one.
    language = models.CharField(max_length=10, blank=True)
    # How often the account was closed. Sessions hold a hash of it, so those of a closed account never work again.
    times_closed = models.PositiveIntegerField(default=0)
    # How often the person signed out everywhere; sessions hold a hash of it, too.
    times_signed_out = models.PositiveIntegerField(default=0)

    class Meta(AbstractUser.Meta):
        indexes = [models.Index(fields=["-is_active", "username"], name="people_in_order")]
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="one_account_per_email",
                violation_error_message="There is an account with this email address already.",
            ),
            models.UniqueConstraint(
                Lower("username"),
                name="one_account_per_username",
                violation_error_message="There is an account with this user name already.",
            ),
        ]

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of this person's roles; a superuser has them all."""
        return frozenset(Role.values) if self.is_superuser else self.given_roles()

    @property
    def has_new_password(self) -> bool:
        """Return whether a new password was set or removed and is not saved yet. Rehashing, as when signing in after
        a change of Django's defaults, does not count.
        """
        return vars(self).get("_password") is not None or vars(self).get("_lost_password", False)

    def set_unusable_password(self) -> None:
        super().set_unusable_password()
        self._lost_password = True

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        salt = f"core.models.User.session.{self.times_closed}"
        if self.times_signed_out:
            salt += f".{self.times_signed_out}"
        return salted_hmac(salt, self.password, secret=secret, algorithm="sha256").hexdigest()

    def given_roles(self) -> frozenset[str]:
        """The names of the roles that an admin gave this person."""
        if "group_names" in self.__dict__:
            names = (self.__dict__["group_names"] or "").split(",")
        else:
            names = list(self.groups.values_list("name", flat=True))
        return frozenset(names) & frozenset(Role.values)

    @classmethod
    def with_these_roles(cls, pk: int, roles: frozenset[str]) -> "User":
        """A stand-in for everybody with these roles, where one query is compiled for all of them."""
        person = cls(pk=pk)
        person.roles, person.stands_for_many = roles, True
        return person

    def has_role(self, *roles: str) -> bool:
        """Return whether the person has at least one of `roles`."""
        return not self.roles.isdisjoint(roles)

    @staticmethod
    def named(first_name: str, last_name: str, username: str) -> str:
        """The person's name on pages."""
        return f"{first_name} {last_name}".strip() or username

    def __str__(self) -> str:
        return self.named(self.first_name, self.last_name, self.username)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, *, at=None) -> "InvitationQuerySet":
        """Invitations that at the time `at` (now if not given) are not accepted, withdrawn or expired."""
        return self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=at or timezone.now())


class MailChoice(models.Model):
    """When a person is mailed about one kind of notice, where that differs from `User.mail`. The apps above register
    the kinds (`core.notices.mail`).
    """

    person = models.ForeignKey(User, models.CASCADE, related_name="mail_choices")
    kind = models.CharField(max_length=20)
    mail = models.CharField(max_length=10, choices=User.Mail)

    class Meta:
        ordering = ["person", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["person", "kind"], name="one_mail_choice_per_person_and_kind"),
            models.CheckConstraint(condition=~models.Q(kind=""), name="a_mail_choice_names_a_kind"),
            models.CheckConstraint(
                condition=models.Q(mail__in=["at_once", "daily", "never"]), name="mail_is_at_once_daily_or_never"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.person_id}: {self.mail}"


class Invitation(models.Model):
    """A link through which one person makes one account, or chooses a new password for their existing one.

    Only the link's hash is kept: the link itself is a password.
    """

    # Set if the link is for a person who has an account and forgot the password.
    person = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="password_links")
    email = AddressField(blank=True)
    note = models.CharField(max_length=200, blank=True)
    roles = models.ManyToManyField(Group)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="invitations_sent")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="invitations_accepted")

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at=None, accepted_by=None)
                | Q(accepted_at__isnull=False, accepted_by__isnull=False, withdrawn_at=None),
                name="an_accepted_invitation_has_time_and_person",
            ),
            models.CheckConstraint(
                condition=Q(person=None) | Q(accepted_by=None) | Q(accepted_by=F("person")),
                name="a_password_link_serves_its_person_only",
            ),
            models.UniqueConstraint(
                fields=["accepted_by"], condition=Q(person=None), name="one_account_per_invitation"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation for {self.person or self.email or self.note or 'a new person'}"
