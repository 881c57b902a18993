"""The human evaluation as a file in the released shape: by model its records, in each the responses to all templates
with people's final verdicts. Imported records are exported unchanged; other responses in the same form.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from annotation import taxonomy
from annotation.content.instances import Conflict
from annotation.kinds.registry import annotated, named_fields
from annotation.models import Instance, ReleasedInstance
from judging.catalogue.messages import correct_answers
from judging.models import LanguageModel, Response
from judging.protocol.verdicts import Verdict
from review.models import EvaluatedRecord, FinalVerdict, How
from review.reports.kinds import in_order
from review.reports.scope import Scope

from .shape import DIMENSION_KEYS, suffix_of

Record = dict[str, Any]
Group = tuple[int, int, int]
CHUNK = 200


def human_evaluation_chunks(scope: Scope | None = None) -> Iterator[str]:
    """The file, a record at a time, formatted like the released one: indented by one blank per level, ASCII, no
    newline at the end.

    Instances that are set aside are left out, as in the reports.
    """
    scope = replace(scope or Scope(), benchmark=annotated().code)
    opening = "{"
    for model in _models(scope):
        yield f"{opening}\n {json.dumps(model.name)}: "
        opening, before = ",", "["
        for record in chain(_imported(scope, model), _judged_here(scope, model)):
            yield f"{before}\n  " + json.dumps(record, indent=1).replace("\n", "\n  ")
            before = ","
        yield "\n ]"
    yield "{}" if opening == "{" else "\n}"


def _models(scope: Scope) -> list[LanguageModel]:
    """The models in the order of their import, then those judged only here."""
    imported = dict.fromkeys(_records(scope).values_list("model", flat=True))
    final = scope.final_verdicts().exclude(how=How.IMPORTED).values_list("model", flat=True).distinct()
    names = LanguageModel.objects.in_bulk([*imported, *final])
    later = sorted((names[pk] for pk in names if pk not in imported), key=lambda model: model.name)
    return [*(names[pk] for pk in imported), *later]


def _records(scope: Scope):
    found = EvaluatedRecord.objects.order_by("pk")
    if scope.run:
        found = found.filter(run=scope.run)
    if scope.round:
        found = found.none()
    if scope.release:
        released = ReleasedInstance.objects.filter(release=scope.release).values("instance")
        found = found.filter(instance__in=released)
    return found.exclude(instance__in=scope.set_aside)


def _imported(scope: Scope, model: LanguageModel) -> Iterator[Record]:
    contents = _records(scope).filter(model=model).values_list("content", flat=True)
    return (json.loads(content) for content in contents.iterator(chunk_size=CHUNK))


def _judged_here(scope: Scope, model: LanguageModel) -> Iterator[Record]:
    """A record for each instance with at least one response whose final verdict was given here."""
    final = scope.final_verdicts().exclude(how=How.IMPORTED).filter(model=model)
    groups = list(
        final.order_by("run", "instance", "response__repetition")
        .values_list("run", "instance", "response__repetition")
        .distinct()
    )
    for start in range(0, len(groups), CHUNK):
        yield from _records_of(model, groups[start : start + CHUNK])


def _records_of(model: LanguageModel, groups: list[Group]) -> Iterator[Record]:
    instances = {instance for _, instance, _ in groups}
    responses = (
        Response.objects.filter(model=model, run__in={run for run, _, _ in groups}, instance__in=instances)
        .select_related("instance", "template", "variant", "attempt")
        .order_by("run", "instance", "repetition")
    )
    verdicts = dict(FinalVerdict.objects.filter(response__in=responses).values_list("response", "verdict").order_by())
    numbers = dict(
        ReleasedInstance.objects.filter(instance__in=instances)
        .order_by("release__number")
        .values_list("instance", "number")
    )
    wanted = set(groups)
    for key, of_group in groupby(responses, key=lambda each: (each.run_id, each.instance_id, each.repetition)):
        if key in wanted:
            rows = list(of_group)
            instance = rows[0].instance
            yield {
                "modelName": model.name,
                **_instance(instance, numbers.get(instance.pk, instance.pk)),
                **_answers(rows, verdicts),
            }


def _instance(instance: Instance, number: int) -> Record:
    conflict = Conflict(**named_fields(instance))
    chosen = {
        taxonomy.SEMANTIC_TYPE: conflict.semantic_types[-1:],
        taxonomy.MODALITY: conflict.modalities[-1:],
        taxonomy.ORIGIN: [conflict.origin],
        taxonomy.REASONING_TYPE: [conflict.reasoning_type],
    }
    return {
        "title": conflict.article_title,
        "url": conflict.url,
        "question_ID": number,
        "question1": conflict.question,
        "question1_context1": conflict.passage_1,
        "question1_context2": conflict.passage_2,
        "question1_answer1": conflict.answer_1,
        "question1_answer2": conflict.answer_2,
        "samepassage": "Same" if conflict.same_passage else "Different",
        **{key: _published(dimension, chosen[dimension]) for key, dimension in DIMENSION_KEYS.items()},
    }


def _published(dimension: taxonomy.Dimension, codes: list[str]) -> str:
    """The value in the form of the released file: one option, and "unknown" if none was chosen."""
    return dimension.option(codes[0]).published if codes and codes[0] else "unknown"


def _answers(responses: Iterable[Response], verdicts: dict[int, str]) -> Record:
    by_template = {response.template: response for response in responses}
    record: Record = {}
    for template in in_order(by_template):
        response, suffix = by_template[template], suffix_of(template.label)
        record[f"ModelAnswer_prompt_{suffix}"] = response.text
        if response.pk in verdicts:
            label = str(Verdict(verdicts[response.pk]).label)
            record[f"ModelAnswer_prompt_{suffix}_humanEval"] = label
        record[f"ModelInput_prompt_{suffix}"] = _asked(response)
        record[f"goldAnswer_prompt_{suffix}"] = " | ".join(correct_answers(response))
    return record


def _asked(response: Response) -> str:
    """The prompt for the model, without the system message; "" if an import lacks it."""
    contents = [message["content"] for message in response.messages if message.get("role") == "user"]
    return contents[-1] if contents else ""
