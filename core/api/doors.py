"""Common parts of all API addresses: access, input, answers, and pages of lists.

A door takes a program's request, calls the function that the page calls, and answers with the result.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils.choices import flatten_choices
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from ..accounts.confirming import confirmed_recently
from ..engine.queries.parameters import Numbers
from ..lists.filters import Filters, RowField, TickedField
from ..lists.pages import ROWS_ON_A_PAGE, Asked, Window, page_of
from ..models import AccessToken, Role
from ..outside import MOST_ROW, storable, whole_number
from ..refusals import Forbidden
from ..web.access import SECOND_FACTOR_FIRST, note_export
from ..web.files import download
from .description import READING
from .once import once
from .problems import Problem, as_problem, refuse_form
from .reading import PerMinute, SignedIn, StrictJSON, TokenSignIn

MOST_ON_A_PAGE = 200
WORK, ADMIN = "work", "admin"
LISTED, REVERSED = "listed", "reversed"


class JSONLines(BaseRenderer):
    """One JSON object per line, for all rows together: the view streams them."""

    media_type, format, charset = "application/x-ndjson", "jsonl", None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        # A response that is not streamed is an error.
        return JSONRenderer().render(data)


class Sent(serializers.Serializer):
    """A program's input. Unknown members are refused, as they may be typing errors."""

    def to_internal_value(self, data: object) -> dict[str, object]:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            raise serializers.ValidationError({name: ["There is no such member."] for name in unknown[:20]})
        return super().to_internal_value(data)


class Door(APIView):
    """One address. `roles` may enter, or every signed-in person if there are none; a token needs the scope `acting`
    for everything but reading.
    """

    roles: ClassVar[tuple[str, ...]] = ()
    acting: ClassVar[str] = WORK
    # Whether a person who comes with a session, not with a token, confirms who they are before it acts.
    confirms: ClassVar[bool] = False
    authentication_classes = (TokenSignIn, SignedIn)
    permission_classes = ()
    throttle_classes = (PerMinute,)
    parser_classes = (StrictJSON,)
    renderer_classes: Any = (JSONRenderer,)
    metadata_class = None

    @classmethod
    def as_view(cls, **initial: object) -> Callable:
        view = super().as_view(**initial)
        view.roles = cls.roles  # read by the test that tries every address as every role
        return view

    def get_exception_handler(self) -> Callable:
        return as_problem

    def perform_authentication(self, request: Any) -> None:
        """Identify the person and check access, before anything else is revealed."""
        if not request.user.is_authenticated:
            raise NotAuthenticated("Sign in, or send a token: Authorization: Bearer wcw_…")
        if self.roles and not request.user.has_role(*self.roles):
            if Role.ADMIN in self.roles and request.user.lacks_second_factor:
                raise Forbidden(SECOND_FACTOR_FIRST)
            needed = " or ".join(self.roles)
            raise Forbidden(f"This needs the role {needed}. An admin can give you that role.")
        token, acts = request.auth, request.method not in READING and hasattr(self, request.method.lower())
        if acts and isinstance(token, AccessToken) and self.acting not in token.scopes:
            raise Forbidden(
                f"This token lacks the scope “{self.acting}”. Create one with this scope on your account page."
            )

        if acts and self.confirms and token is None and not confirmed_recently(request):
            raise Forbidden("Sign in anew, or send a token: this is refused long after signing in.")

    def initial(self, request: object, *given: object, **named: object) -> None:
        super().initial(request, *given, **named)
        self.refuse_unknown_parameters()

    def refuse_unknown_parameters(self) -> None:
        """Raises Problem (400), naming the parameters of the address that the method does not know or that appear
        more than once: a misspelled filter would otherwise be no filter.
        """
        known = getattr(getattr(self, self.request.method.lower(), None), "parameters", {})
        errors = []
        for name, values in self.request.query_params.lists():
            if name not in known:
                errors.append({"parameter": storable(name)[:100], "detail": "There is no such parameter."})
            elif len(values) > 1 and not known[name]:
                errors.append({"parameter": name, "detail": "This parameter can be given once only."})
        if errors:
            names = ", ".join(f"“{each['parameter']}”" for each in errors[:20])
            raise Problem(f"Not valid in this address: {names}.", status=400, errors=errors[:20])

    @property
    def wants_lines(self) -> bool:
        return self.request.accepted_renderer.format == JSONLines.format

    def lines(self, name: str, content: Iterable[str]) -> HttpResponseBase:
        """All rows, streamed in constant memory."""
        response = download(f"{name}.jsonl", content)
        if Role.ADMIN in self.roles:
            note_export(self.request, response)
        return response

    def page(
        self,
        rows: QuerySet[Any],
        *order: str,
        gives: type[serializers.Serializer],
        window: Window | None = None,
        fetch: Callable[[Numbers], Iterable[Any]] | None = None,
        among: Callable[[Numbers], Collection[Any]] | None = None,
        seen: Callable[[list[Any]], None] | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Response:
        """One page of the rows, as in the list on the pages. `seen` notes that its rows are shown; `context` is for
        the serializer. Raises Problem (400) if the page or the size in the address is not valid.
        """
        window = window or Window(rows.select_related(None), order, is_whole=True)
        if self._is_reversed:
            window = window.reversed()
        written = self.request.query_params.get("page", "")
        if written and written != "last" and Asked.of(written, window) == Asked():
            raise Problem("“page” is not a page of this list. Follow “next”.", status=400)
        page = page_of(self.request, rows, window=window, most=self._size(), fetch=fetch, among=among)
        if seen is not None:
            seen(page.object_list)
        found = gives(page.object_list, many=True, context=dict(context or {})).data
        return Response({"results": found, "next": self._link(page.next), "previous": self._link(page.previous)})

    @property
    def _is_reversed(self) -> bool:
        order = self.request.query_params.get("order", LISTED)
        if order not in (LISTED, REVERSED):
            raise Problem(f"“order” must be “{LISTED}” or “{REVERSED}”.", status=400)
        return order == REVERSED

    def _size(self) -> int:
        written = self.request.query_params.get("limit")
        size = ROWS_ON_A_PAGE if written is None else whole_number(written, most=MOST_ON_A_PAGE)
        if not size:
            raise Problem(f"“limit” must be a number from 1 to {MOST_ON_A_PAGE}.", status=400)
        return size

    def _link(self, page: str) -> str | None:
        if not page:
            return None
        query = self.request.query_params.copy()
        query["page"] = page
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")

    def filters(self, kind: type[Filters]) -> Any:
        """The filters in the address. Raises Problem (400) if one cannot be read; a page would ignore it."""
        filters = kind(self.request.query_params)
        refuse_form(filters, where="parameter")
        return filters


class AdminDoor(Door):
    """An address for admins."""

    roles = (Role.ADMIN,)
    acting = ADMIN


# --- What stands in the schema, and what is done for every method -------------------------------------------------

PAGE = (
    OpenApiParameter("page", str, description="The position of the page, as in `next`."),
    OpenApiParameter(
        "order",
        str,
        enum=[LISTED, REVERSED],
        description="The order of the list on the pages, or its reverse.",
    ),
    OpenApiParameter(
        "limit", int, description=f"Rows on the page, {ROWS_ON_A_PAGE} by default, {MOST_ON_A_PAGE} at most."
    ),
)
LINES = OpenApiParameter(
    "format", str, enum=["json", "jsonl"], description="`jsonl`: all rows, one per line, streamed."
)
LINES_ONLY = OpenApiParameter(
    "format", str, enum=["jsonl"], description="One row per line, streamed: the only format."
)
ONCE = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="A repeated request gets the first answer."
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="The ETag of the version that this change is based on.",
)


class ProblemOut(serializers.Serializer):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.ListField(child=serializers.DictField(), required=False)


def lists(
    gives: type[serializers.Serializer], filters: type[Filters] | None = None, *, streams: bool = False
) -> Callable:
    """Describes a `get` that answers with a page of a list."""

    class Listed(serializers.Serializer):
        results = gives(many=True)
        next = serializers.CharField(allow_null=True)
        previous = serializers.CharField(allow_null=True)

    Listed.__name__ = f"{gives.__name__.removesuffix('Out')}List"
    asked = [*PAGE, *([LINES] if streams else []), *_asked_by(filters)]
    return _schema(parameters=asked, responses={200: Listed} | _problems())


def _asked_by(filters: type[Filters] | None) -> list[OpenApiParameter]:
    if filters is None:
        return []
    fields = filters.base_fields.items()
    return [_asked_as(name, field) for name, field in fields]


def _asked_as(name: str, field: forms.Field) -> OpenApiParameter:
    about = str(field.label or field.help_text or "")
    match field:
        case TickedField():
            return OpenApiParameter(name, UUID, many=True, description=about)
        case RowField(words=words) if not words:
            return OpenApiParameter(name, {"type": "integer", "minimum": 1, "maximum": MOST_ROW}, description=about)
        case forms.ChoiceField():
            return OpenApiParameter(name, str, enum=values_of(field.choices), description=about)
    return OpenApiParameter(name, str, description=about)


def values_of(choices: Any) -> list[str]:
    """The values that can be chosen, including those in groups, without the empty ones."""
    return [str(value) for value, _ in flatten_choices(choices) if value not in ("", None)]


def gives(
    answer: object, *parameters: OpenApiParameter, filters: type[Filters] | None = None, or_none: bool = False
) -> Callable:
    """Describes a `get` that answers with one object, or with 204 if there may be none. The answer may be described
    by its status and content type.
    """
    asked = [*parameters, *_asked_by(filters)]
    answers = answer if isinstance(answer, dict) else {200: answer}
    return _schema(parameters=asked, responses=answers | _none(or_none) | _problems())


def _none(or_none: bool) -> dict[Any, Any]:
    return {204: None} if or_none else {}


def takes(
    body: type[Sent] | None = None,
    gives: Any = None,
    *parameters: OpenApiParameter,
    status: int = 200,
    or_none: bool = False,
) -> Callable:
    """Describes a method that changes something: it is called with the checked input, and acts once per
    `Idempotency-Key`. With `or_none`, the answer may be 204.
    """

    def decorate(method: Callable) -> Callable:
        @wraps(method)
        def taken(self: Door, request: Any, **named: Any) -> HttpResponseBase:
            def act() -> Response:
                sent = (body or Sent)(data=request.data)
                sent.is_valid(raise_exception=True)
                return method(self, request, sent.validated_data, **named)

            return once(request, act) if request.method == "POST" else act()

        answers = {status: gives} | _none(or_none) | _problems()
        asked = [*parameters, *([ONCE] if method.__name__ == "post" else [])]
        return _knows(extend_schema(parameters=asked, request=body, responses=answers)(taken), asked)

    return decorate


def _schema(parameters: list[OpenApiParameter], **options: Any) -> Callable:
    def decorate(method: Callable) -> Callable:
        described = extend_schema(parameters=parameters, **options)(method)
        return _knows(described, parameters)

    return decorate


def _knows(method: Any, parameters: Iterable[OpenApiParameter]) -> Callable:
    """Note which parameters of the address the method knows, and whether each may be there several times."""
    method.parameters = {each.name: each.many for each in parameters if each.location == OpenApiParameter.QUERY}
    return method


def _problems() -> dict[Any, Any]:
    return {(code, "application/problem+json"): ProblemOut for code in ("4XX", "5XX")}


def version_of(request: Any) -> int:
    """The version in If-Match. Raises Problem: 428 if there is none, 412 if it is not a version issued here."""
    written = request.headers.get("If-Match", "").strip()
    if not written:
        raise Problem("Send If-Match with the ETag of the version that this is based on.", status=428)
    version = whole_number(written.removeprefix("W/").strip('"'), most=2**31 - 1)
    if version is None:
        raise Problem("If-Match contains no ETag of this site.", status=412)
    return version
