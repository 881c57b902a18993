"""Baselines that answer without a model: their figures are the floor that a model has to beat."""

from collections.abc import Callable, Mapping, Sequence

from judging.protocol.prompts import placeholders


def shown_passages(template_text: str, values: Mapping[str, str | None]) -> list[str]:
    """The passages that a template shows, passage 1 first, regardless of their order in the template."""
    names = sorted(name for name in placeholders(template_text) if name.startswith("passage"))
    return [value for name in names if (value := values.get(name))]


def answer_with_passage_1(passages: Sequence[str]) -> str:
    """Quotes passage 1, or the only passage that is shown."""
    return f"According to the context: “{passages[0].strip()}”" if passages else "I do not know."


def answer_with_both_passages(passages: Sequence[str]) -> str:
    """Quotes both passages and names the conflict."""
    if len(passages) < 2:
        return answer_with_passage_1(passages)
    one, other = (passage.strip() for passage in passages[:2])
    return f"The context is contradictory. One passage states: “{one}” However, the other states: “{other}”"


ANSWERERS: dict[str, Callable[[Sequence[str]], str]] = {
    "passage 1 only": answer_with_passage_1,
    "both passages": answer_with_both_passages,
}
