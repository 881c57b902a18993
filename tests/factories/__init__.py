"""One set of factories, shared by all tests: rows of annotation here, those of the other apps in a module each."""

from .annotation import AnnotationFactory, ArticleFactory, TagFactory, WikiFactory
