"""One factory per model: wikis, articles, tags, annotations."""

from uuid import uuid4

import factory
from django.utils import timezone

from annotation import models


class WikiFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Wiki

    name = "Test Wiki"
    api_url = factory.Sequence(lambda n: f"https://wiki{n}.example.org/w/api.php")
    language = "en"


class ArticleFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Article

    wiki = factory.SubFactory(WikiFactory)
    title = factory.Sequence(lambda n: f"Bridge {n}")
    url = factory.LazyAttribute(lambda a: f"https://wiki.example.org/wiki/{a.title.replace(' ', '_')}")
    page_id = factory.Sequence(lambda n: n + 1)
    revision_id = factory.Sequence(lambda n: n + 1000)
    revised_at = factory.LazyFunction(timezone.now)
    wikitext = "The bridge opened in 1903.{{Inconsistent|date=May 2024}} It was closed in 1899."


class TagFactory(factory.django.DjangoModelFactory):
    """A tag with as many free assignments as it needs annotations."""

    class Meta:
        model = models.Tag
        skip_postgeneration_save = True

    article = factory.SubFactory(ArticleFactory)
    last_seen_in = factory.SelfAttribute("article")
    raw = "Inconsistent|date=May 2024"
    family = models.Family.INCONSISTENT
    date = "May 2024"
    paragraph = "The bridge opened in 1903.{{Inconsistent|date=May 2024}} It was closed in 1899."
    paragraph_clean = "The bridge opened in 1903. It was closed in 1899."
    start = 26
    end = 56
    annotations_needed = 1

    @classmethod
    def _create(cls, model_class, *args, annotations_needed, **values):
        tag = super()._create(model_class, *args, **values)
        numbers = range(1, annotations_needed + 1)
        models.Assignment.objects.bulk_create(models.Assignment.of(tag, number) for number in numbers)
        return tag


class AnnotationFactory(factory.django.DjangoModelFactory):
    """A complete, valid annotation with one question; `state` decides how far it got."""

    class Meta:
        model = models.Annotation
        skip_postgeneration_save = True

    tag = factory.SubFactory(TagFactory)
    validity = models.Validity.VALID
    same_passage = models.SamePassage.DIFFERENT
    confidence = 5
    state = models.AnnotationState.ACCEPTED
    submitted_at = factory.LazyFunction(timezone.now)
    submit_operation = factory.LazyFunction(uuid4)

    @factory.post_generation
    def parts(annotation, create, extracted, **kwargs):
        if not create:
            return
        title = annotation.tag.article.title
        for position, year, verb in ((1, "1903", "opened"), (2, "1899", "was closed")):
            models.Passage.objects.create(
                annotation=annotation,
                position=position,
                article_title=title,
                text=f"The bridge {verb} in {year}.",
                standalone_text=f"{title} {verb} in {year}.",
                statement=f"the bridge {verb} in {year}",
                span=year,
            )
        chosen = (("semantic_type", "DATE"), ("modality", "TT"), ("origin", "SAME"), ("reasoning_type", "IMP"))
        for position, (dimension, code) in enumerate(chosen):
            models.ContradictionType.objects.create(
                annotation=annotation, position=position, dimension=dimension, code=code
            )
        models.Question.objects.create(
            annotation=annotation,
            position=1,
            text=f"When was {title} open?",
            answer_1="from 1903",
            answer_2="until 1899",
        )
