"""The desk of an annotator whose project has a model that makes suggestions."""

from django.urls import reverse

from annotation.models import ModelSuggestion
from core.models import Project
from tests.annotation.desk_helpers import claim, complete_content, save
from tests.factories import TagFactory
from tests.factories.judging import make_model, work

STANDALONE = "The Harbour Bridge opened in 1903 to the great applause of its town."
QUESTION = {"question": "When did it open?", "answer1": "In 1903", "answer2": "By 1899"}


class Desk:
    def __init__(self, annotator, client, server):
        TagFactory()
        self.annotation, self.client, self.server = claim(annotator), client, server
        self.model = make_model(server.base_url, name="Small model", price_in=10, price_out=10)
        save(self.annotation, complete_content())
        self.allow()

    def allow(self, **values):
        Project.get()
        Project.objects.update(**{"suggestion_model": "Small model", **values})

    def ask(self, target="A", **content) -> str:
        fields = complete_content(**content) | {"target": target}
        address = reverse("desk_model_suggestion", args=[self.annotation.pk])
        return self.client.post(address, fields, headers={"HX-Request": "true"}).text

    def look(self) -> str:
        return self.client.get(self.address("desk_model_suggestion_state")).text

    def decide(self, decision: str) -> str:
        return self.client.post(self.address("desk_model_suggestion_decide"), {"decision": decision}).text

    def address(self, name: str) -> str:
        return reverse(name, args=[self.annotation.pk, ModelSuggestion.objects.latest("pk").pk])

    def answer(self, text: str) -> None:
        self.server.levers.answer = text

    def suggestion(self, target="A", text=STANDALONE, decision="use") -> ModelSuggestion:
        self.answer(text)
        self.ask(target)
        work()
        self.decide(decision)
        return ModelSuggestion.objects.latest("pk")

    @property
    def page(self) -> str:
        return self.client.get(reverse("desk_annotation", args=[self.annotation.pk])).text
