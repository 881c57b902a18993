"""An annotation's rows as the form's content, and back."""

from .. import taxonomy
from ..models import Annotation, ContradictionType, Passage, Question
from .fields import FIELDS, Content, empty_content, questions_of, with_questions

PASSAGE_COLUMNS = {
    "paragraph{}_article": "article_title",
    "paragraph{}_information": "text",
    "paragraph{}_information_standalone": "standalone_text",
    "relevantInfo_comment_{}": "statement",
    "relevantInfo_comment_{}_Span": "span",
}
ANNOTATION_COLUMNS = {
    "wikitag_label_valid": "validity",
    "valid_comment": "valid_comment",
    "wikitag_label_samepassage": "same_passage",
    "contradict_comment": "contradict_comment",
    "question_comment": "question_comment",
}


def content_of(annotation: Annotation) -> Content:
    """What the form shows for this annotation."""
    content = empty_content()
    for name, column in ANNOTATION_COLUMNS.items():
        content[name] = getattr(annotation, column)
    content["confidence"] = str(annotation.confidence or "")
    content["origin_confirmed"] = "1" if annotation.origin_confirmed else ""
    for passage in annotation.passages.all():
        for name, column in PASSAGE_COLUMNS.items():
            content[name.format("AB"[passage.position - 1])] = getattr(passage, column)
    for chosen in annotation.contradiction_types.all():
        if chosen.code:
            content[taxonomy.BY_CODE[chosen.dimension].key].append(chosen.code)
    rows = {q.position: (q.text, q.answer_1, q.answer_2) for q in annotation.questions.all()}
    return with_questions(content, [rows.get(n, ("", "", "")) for n in range(1, max(rows, default=0) + 1)])


def write_content(annotation: Annotation, content: Content, names: list[str]) -> None:
    """Bring the rows in line with `content` in the fields `names`; the rows of other fields are not touched.

    The annotation's own columns are set, not saved.
    """
    for name, column in ANNOTATION_COLUMNS.items():
        setattr(annotation, column, content[name])
    annotation.confidence = int(content["confidence"]) if content["confidence"] else None
    annotation.origin_confirmed = bool(content["origin_confirmed"])
    changed = set(names)
    for position, letter in ((1, "A"), (2, "B")):
        values = {column: content[name.format(letter)] for name, column in PASSAGE_COLUMNS.items()}
        if changed & {name.format(letter) for name in PASSAGE_COLUMNS}:
            Passage.objects.update_or_create(annotation=annotation, position=position, defaults=values)
    for dimension in taxonomy.DIMENSIONS:
        if dimension.key in changed:
            _write_types(annotation, dimension, content[dimension.key])
    if any(FIELDS[name].step == 5 for name in changed):
        _write_questions(annotation, content)


def _write_types(annotation: Annotation, dimension: taxonomy.Dimension, codes: list[str]) -> None:
    rows = ContradictionType.objects.filter(annotation=annotation)
    rows.filter(dimension=dimension.code).exclude(code__in=codes).delete()
    kept = set(rows.filter(dimension=dimension.code).values_list("code", flat=True))
    last = rows.order_by("position").values_list("position", flat=True).last()
    position = -1 if last is None else last
    for code in codes:
        if code not in kept:
            position += 1
            rows.create(annotation=annotation, dimension=dimension.code, code=code, position=position)


def _write_questions(annotation: Annotation, content: Content) -> None:
    rows = questions_of(content)
    stored = {question.position: question for question in Question.objects.filter(annotation=annotation)}
    for position, (text, answer_1, answer_2) in enumerate(rows, start=1):
        values = {"text": text, "answer_1": answer_1, "answer_2": answer_2}
        question = stored.pop(position, None) or Question(annotation=annotation, position=position)
        if question.pk is None or any(getattr(question, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(question, name, value)
            question.save()
    if stored:
        Question.objects.filter(annotation=annotation, position__in=list(stored)).delete()
