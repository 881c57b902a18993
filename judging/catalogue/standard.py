"""What every installation has from the start: the paper's prompt templates, and the baselines that need no model."""

from ..baselines.baselines import ANSWERERS, BASELINE_JUDGE, GOLD_ANSWERS
from ..models import LanguageModel, ModelKind, PromptTemplate
from ..protocol.prompts import TEMPLATES, Template

BASELINES = {
    **{name: f"Baseline: {name}" for name in ANSWERERS},
    GOLD_ANSWERS: BASELINE_JUDGE,
}


def install_standard(**_kwargs) -> str:
    """Create what is missing. A protocol template whose wording has changed becomes a new version; what people have
    made is left alone. Returns "": there is nothing to say about it."""
    for template in TEMPLATES.values():
        install_template(template)
    for name, label in BASELINES.items():
        LanguageModel.objects.get_or_create(
            name=label,
            defaults={"kind": ModelKind.BASELINE, "endpoint_name": name, "decoding": {}, "concurrent_calls": 64},
        )
    return ""


def install_template(template: Template) -> None:
    versions = list(PromptTemplate.objects.filter(code=template.id).order_by("version"))
    if any(version.as_template() == template for version in versions):
        return
    PromptTemplate.objects.create(
        code=template.id,
        version=versions[-1].version + 1 if versions else 1,
        name=template.name,
        source=template.source,
        system=template.system,
        text=template.text,
        text_same_passage=template.text_same_passage,
        applies_to=template.applies_to,
        verdicts=list(template.verdicts),
        expects=template.expects,
        correct_answers=list(template.correct_answers),
    )


def answerer_baselines() -> list[LanguageModel]:
    return list(LanguageModel.objects.filter(kind=ModelKind.BASELINE, endpoint_name__in=ANSWERERS))


def judge_baseline() -> LanguageModel:
    return LanguageModel.objects.get(kind=ModelKind.BASELINE, endpoint_name=GOLD_ANSWERS)
