"""Finders of this app for the palette."""

from collections.abc import Iterable

from django.db.models import QuerySet

from core.languages import say
from core.lists.search import NEWEST_SEARCHED, found_in
from core.models import Role, User
from core.navigation import MOST_FOUND, Finder, Found, found_row, numbered, register_finders

from .desk.visibility import annotations_for
from .models import Annotation, Article, Release, Tag


def _tags(user: User, words: str) -> Iterable[Found]:
    of_articles = Tag.objects.filter(article__in=found_in(Article.objects.all(), "title", words))
    of_number = numbered(Tag.objects.all(), words)
    for tags in (of_number, of_articles):
        for tag in tags.select_related("article").order_by("pk")[:MOST_FOUND]:
            about = ", ".join(filter(None, [f"tag {tag.pk}", tag.section, tag.date]))
            yield found_row("tag", tag.pk, tag.article.title, about)


def _own_work(user: User, words: str) -> Iterable[Found]:
    own = Annotation.objects.filter(annotator=user).order_by("-pk")
    newest = own.values("pk")[:NEWEST_SEARCHED]
    return _found("desk_annotation", own.filter(pk__in=newest, tag__article__title__icontains=words))


def _reviewable(user: User, words: str) -> Iterable[Found]:
    articles = found_in(Article.objects.all(), "title", words)
    others = annotations_for(user).filter(tag__article__in=articles).exclude(annotator=user)
    return _found("reviews_annotation", others)


def _found(url_name: str, annotations: QuerySet[Annotation]) -> Iterable[Found]:
    for each in annotations.select_related("tag__article")[:MOST_FOUND]:
        yield found_row(url_name, each.pk, each.tag.article.title, each.get_state_display().lower())


def _releases(user: User, words: str) -> Iterable[Found]:
    for release in Release.objects.order_by("-number"):
        if words.lower() in str(release).lower():
            yield found_row("release", release.number, str(release))


def register() -> None:
    register_finders(
        Finder(say("Your annotations"), (Role.ANNOTATOR,), _own_work),
        Finder(say("Annotations to review"), (Role.REVIEWER, Role.ADMIN), _reviewable),
        Finder(say("Tags"), (Role.ADMIN,), _tags),
        Finder(say("Releases"), (Role.ADMIN,), _releases),
    )
