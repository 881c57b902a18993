"""Forms about people: inviting, joining, roles, your own account, and the project's settings."""

from datetime import timedelta
from functools import reduce
from operator import or_

from allauth.account.forms import ChangePasswordForm as AllauthChangePasswordForm
from allauth.account.forms import LoginForm as AllauthLoginForm
from allauth.account.forms import ResetPasswordKeyForm as AllauthResetPasswordKeyForm
from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.contrib.auth.forms import UsernameField
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator
from django.db.models import Q, QuerySet
from django.utils import timezone

from ..languages import say, say_date
from ..lists.filters import Filters, SearchField
from ..lists.missing import if_empty
from ..models import Project, Role, User
from ..notices.mail import mail_choices, notice_kinds
from ..project import models_for
from ..words import in_currency
from .usernames import is_deceptive

ROLE_CHOICES = [
    (Role.ANNOTATOR, say("Annotator: takes tags and annotates them")),
    (Role.REVIEWER, say("Reviewer: reviews annotations, judges responses")),
    (Role.ADJUDICATOR, say("Adjudicator: decides where judgments differ")),
    (Role.ADMIN, say("Admin: harvests, assigns, releases, manages people")),
]
LONGEST_LEASE = 86_400
LONGEST_NAME = 254  # of an address


class RolesField(forms.MultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def __init__(self, **kwargs):
        super().__init__(choices=ROLE_CHOICES, **kwargs)


class InviteForm(forms.Form):
    email = forms.EmailField(
        required=False,
        label=say("Email address"),
        help_text=say("This becomes the email address of the account."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    note = forms.CharField(
        required=False,
        max_length=200,
        label=say("Note"),
        help_text=say("For example, the person that the link is for."),
    )
    roles = RolesField(label=say("Roles"), error_messages={"required": "Choose at least one role."})

    def clean(self):
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned["email"] and not cleaned["note"]:
            raise ValidationError(say("Give an email address or a note, so that you can tell the invitations apart."))
        return cleaned


class RolesForm(forms.Form):
    roles = RolesField(label=say("Roles"), required=False)


def _labelled(form: forms.BaseForm, **labels: str) -> None:
    for name, label in labels.items():
        form.fields[name].label = label
        form.fields[name].widget.attrs.pop("placeholder", None)


class SignInForm(AllauthLoginForm):
    """Refuses names longer than any account's: SQLite looks for none of 50,000 characters and fails."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST_NAME))


class ChangePasswordForm(AllauthChangePasswordForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _labelled(
            self,
            oldpassword=say("Current password"),
            password1=say("New password"),
            password2=say("New password again"),
        )
        self.fields["oldpassword"].help_text = ""


class ResetPasswordForm(AllauthResetPasswordKeyForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _labelled(self, password1=say("New password"), password2=say("New password again"))


class NewPasswordForm(forms.Form):
    """A new password, typed once and shown on request: a second field would only double the typing errors."""

    password = forms.CharField(
        label=say("Password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=say("At least 8 characters, and not a common password. A short sentence works well."),
    )

    def __init__(self, *args, user: User | None = None, **kwargs):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean(self):
        cleaned = super().clean() or self.cleaned_data
        if "password" in cleaned:
            try:
                password_validation.validate_password(cleaned["password"], self.password_owner(cleaned))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned

    def password_owner(self, cleaned: dict) -> User | None:
        """The user whose names the password must not resemble, if any."""
        return self.user


class JoinForm(NewPasswordForm):
    username = UsernameField(
        label=say("User name"),
        max_length=150,
        help_text=say("You sign in with it. Use letters, digits and . + - _"),
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    first_name = forms.CharField(
        required=False,
        max_length=150,
        label=say("First name"),
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )
    last_name = forms.CharField(
        required=False,
        max_length=150,
        label=say("Last name"),
        widget=forms.TextInput(attrs={"autocomplete": "family-name"}),
    )
    field_order = ["username", "password", "first_name", "last_name"]

    def __init__(self, *args, email: str = "", **kwargs):
        super().__init__(*args, **kwargs)
        self.email = email

    def clean_username(self) -> str:
        username = self.cleaned_data["username"]
        User.username_validator(username)
        if "@" in username:
            # Sign-in takes either: a name that looks like an address could belong to another person.
            raise ValidationError(say("Choose a name without @. You can still sign in with your email address."))
        if is_deceptive(username):
            raise ValidationError(
                say(
                    "This name could be mistaken for another: it mixes alphabets, or imitates Latin "
                    "letters. Choose a name in one alphabet."
                )
            )
        if User.objects.filter(username__iexact=username).exists():
            raise ValidationError(say("This user name is taken. Choose another."))
        return username

    def password_owner(self, cleaned: dict) -> User:
        names = {name: cleaned.get(name, "") for name in ("username", "first_name", "last_name")}
        return User(email=self.email, **names)


class NameForm(forms.ModelForm):
    class Meta:
        model = User
        labels = {"first_name": say("First name"), "last_name": say("Last name")}
        fields = list(labels)


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=User.Theme.choices, widget=forms.RadioSelect, label=say("Theme"))


class LanguageForm(forms.Form):
    language = forms.ChoiceField(choices=settings.LANGUAGES)


class MailForm(forms.Form):
    """When a person is mailed: in general, and for each kind of notice that a part of the program registered."""

    mail = forms.ChoiceField(choices=User.Mail.choices, widget=forms.RadioSelect, label=say("Send me emails"))

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for kind in notice_kinds():
            self.fields[f"mail_{kind.code}"] = forms.ChoiceField(
                choices=[("", say("As chosen above")), *User.Mail.choices], required=False, label=kind.words
            )

    @classmethod
    def of(cls, person: User) -> "MailForm":
        """The form with the person's choices."""
        own = {f"mail_{kind}": mail for kind, mail in mail_choices(person).items()}
        return cls(initial={"mail": person.mail, **own})

    @property
    def by_kind(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "mail"]

    @property
    def chosen_by_kind(self) -> dict[str, str]:
        """The sent choices by kind; a field that was not sent is left as it is."""
        sent = (name for name in self.fields if name != "mail" and name in self.data)
        return {name.removeprefix("mail_"): self.cleaned_data[name] for name in sent}


def token_lifetimes() -> list[tuple[str, str]]:
    """The days for which a token can be valid, each with the date on which it would expire."""
    today = timezone.localdate()
    days = sorted({30, 90, 365, settings.TOKEN_DAYS})
    dated = [
        (
            str(n),
            say("{n} days, until {day}", n=n, day=say_date(today + timedelta(days=n))),
        )
        for n in days
    ]
    return [*dated, ("", say("until it is revoked"))]


class TokenForm(forms.Form):
    """A new token for programs."""

    name = forms.CharField(
        max_length=100,
        label=say("Purpose"),
        help_text=say("Such as “notebook on my laptop”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        required=False,
        choices=[
            ("work", say("Work: annotate, review, judge, adjudicate")),
            ("admin", say("Admin: make releases, start runs, begin rounds")),
        ],
        widget=forms.CheckboxSelectMultiple,
        label=say("Permissions besides reading"),
        help_text=say("Never more than your roles allow."),
    )
    days = forms.TypedChoiceField(
        choices=lambda: token_lifetimes(), required=False, coerce=int, empty_value=None, label=say("Valid for")
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["days"].initial = str(settings.TOKEN_DAYS)


class ProjectForm(forms.ModelForm):
    class Meta:
        model = Project
        labels = {
            "name": say("Name of the project"),
            "annotations_per_tag": say("Annotations per tag"),
            "double_annotation_percent": say("Tags with an extra annotation, in percent"),
            "review_percent": say("Annotations that are reviewed, in percent"),
            "review_first": say("First annotations of each person that are always reviewed"),
            "lease_seconds": say("Seconds until a claimed tag returns to the queue"),
            "practice_required": say("A practice run before the first tag"),
            "suggestions_on": say("Suggestions at the desk"),
            "counterparts_on": say("Counterparts at the desk"),
            "counterparts_left_out_percent": say("Tags without suggested counterparts, in percent"),
            "counterparts_model": say("Model that re-ranks counterparts"),
            "suggestion_model": say("Model for suggestions to annotators"),
            "suggestion_budget": in_currency(say("Budget for suggestions by the model")),
            "judgments_each": say("Judgments of each response"),
            "consensus": say("A final verdict without adjudication"),
            "adjudicate_among_two": say("Reviewers may adjudicate their own judgments"),
        }
        fields = list(labels)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._offer_models("counterparts_model", say("None: the order stays as it is"))
        self._offer_models("suggestion_model", say("None: no suggestions by a model"))
        no_folder = say("The worker has no such model: LOCAL_NLI_MODEL or LOCAL_SENTENCE_ENCODER names its folder.")
        if_empty(self.fields["counterparts_model"], no_folder)
        if_empty(self.fields["suggestion_model"], say("No model is set up yet."), say("Add a model"), "models")
        self.fields["lease_seconds"].validators.append(MaxValueValidator(LONGEST_LEASE))

    def _offer_models(self, setting: str, none: str) -> None:
        """Have this setting choose among the models there are, and the one that is chosen now."""
        field, present = self.fields[setting], getattr(self.instance, setting)
        names = dict.fromkeys([*models_for(setting), *([present] if present else [])])
        choices = [("", none), *((name, name) for name in names)]
        self.fields[setting] = forms.ChoiceField(
            required=False, label=field.label, help_text=field.help_text, choices=choices
        )


class PeopleFilters(Filters):
    """The filters of the list of people."""

    q = SearchField(label=say("Name or address"))

    def among(self, people: QuerySet[User]) -> QuerySet[User]:
        """The people whose user name, name or email address contains the search text."""
        sought = self.chosen["q"]
        names = ("username", "first_name", "last_name", "email")
        return (
            people.filter(reduce(or_, (Q(**{f"{name}__icontains": sought}) for name in names))) if sought else people
        )
