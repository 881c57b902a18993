"""Reads an annotation as the form's content, from its draft or its rows, and writes the rows when it is submitted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from core.engine.queries.inserts import insert_or_change

from .. import taxonomy
from ..models import Annotation, ContradictionType, Family, Passage, Question, Tag
from .fields import Content, empty_content, questions_of

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


OWN_COLUMNS = (*ANNOTATION_COLUMNS.values(), "confidence", "origin_confirmed")
_BY_POSITION = {
    position: [(name.format(letter), column) for name, column in PASSAGE_COLUMNS.items()]
    for position, letter in ((1, "A"), (2, "B"))
}


def content_of(annotation: Annotation) -> Content:
    """The annotation's content: its draft if there is one, otherwise the last submission, and before the first save
    the values that follow from its tag.
    """
    if annotation.draft:
        return empty_content() | annotation.draft.content
    columns = {column: getattr(annotation, column) for column in OWN_COLUMNS}
    if annotation.is_new:
        return content_of_rows(columns, _named_passages(annotation.tag), [], [])
    return content_of_rows(
        columns,
        [
            {column: getattr(passage, column) for column in ("position", *PASSAGE_COLUMNS.values())}
            for passage in _passages(annotation)
        ],
        [(chosen.dimension, chosen.code) for chosen in annotation.contradiction_types.all()],
        [(q.position, q.text, q.answer_1, q.answer_2) for q in annotation.questions.all()],
    )


def _named_passages(tag: Tag) -> list[dict[str, Any]]:
    """The two passages as far as the tag names their articles."""
    elsewhere = tag.family == Family.CONTRADICT_OTHER and tag.other_articles
    titles = [tag.article.title, str(tag.other_articles[0]) if elsewhere else tag.article.title]
    return [
        dict.fromkeys(PASSAGE_COLUMNS.values(), "") | {"position": position, "article_title": title}
        for position, title in enumerate(titles, start=1)
    ]


def _passages(annotation: Annotation) -> Iterable[Passage]:
    return annotation.passages.all()


def content_of_rows(
    annotation: Mapping[str, Any],
    passages: Iterable[Mapping[str, Any]],
    types: Iterable[tuple[str, str]],
    questions: Iterable[tuple[int, str, str, str]],
) -> Content:
    """The content in the columns of an annotation and its rows: passages by column, types as dimension and code,
    questions as position, question and answers.
    """
    content = empty_content()
    for name, column in ANNOTATION_COLUMNS.items():
        content[name] = annotation[column]
    content["confidence"] = str(annotation["confidence"] or "")
    content["origin_confirmed"] = "1" if annotation["origin_confirmed"] else ""
    for passage in passages:
        for name, column in _BY_POSITION[passage["position"]]:
            content[name] = passage[column]
    for dimension, code in types:
        if code:
            content[taxonomy.BY_CODE[dimension].key].append(code)
    for number, text, answer_1, answer_2 in questions:
        content[f"question{number}"] = text
        content[f"question{number}_answer1"] = answer_1
        content[f"question{number}_answer2"] = answer_2
    return content


class RowsOf:
    """The rows of some submitted annotations, as plain values."""

    def __init__(self, annotations: list[int]):
        of_these = {"annotation__in": annotations}
        self._passages: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for passage in Passage.objects.filter(**of_these).values(
            "annotation_id", "position", *PASSAGE_COLUMNS.values()
        ):
            self._passages[passage["annotation_id"]].append(passage)
        self._types: dict[int, list[tuple[str, str]]] = defaultdict(list)
        chosen = ContradictionType.objects.filter(**of_these).order_by("annotation_id", "position")
        for annotation, dimension, code in chosen.values_list("annotation_id", "dimension", "code"):
            self._types[annotation].append((dimension, code))
        self._questions: dict[int, list[tuple[int, str, str, str]]] = defaultdict(list)
        # The keys of the questions of each annotation, by position.
        self.question_keys: dict[int, dict[int, int]] = defaultdict(dict)
        asked = Question.objects.filter(**of_these)
        for annotation, pk, position, text, answer_1, answer_2 in asked.values_list(
            "annotation_id", "pk", "position", "text", "answer_1", "answer_2"
        ):
            self._questions[annotation].append((position, text, answer_1, answer_2))
            self.question_keys[annotation][position] = pk

    def content(self, pk: int, columns: Mapping[str, Any]) -> Content:
        """The content of the annotation with this key and these `OWN_COLUMNS`."""
        return content_of_rows(columns, self._passages[pk], self._types[pk], self._questions[pk])


def passages_of(annotation: Annotation) -> list[Passage]:
    """The passages as in `content_of`, for reading only."""
    passages = list(annotation.passages.all())
    if annotation.draft or annotation.is_new:
        content, rows = content_of(annotation), {passage.position: passage for passage in passages}
        passages = [rows.get(position) or Passage(annotation=annotation, position=position) for position in (1, 2)]
        for passage in passages:
            for column, value in passage_values(content, passage.position).items():
                setattr(passage, column, value)
    return passages


def passage_values(content: Content, position: int) -> dict[str, str]:
    return {column: content[name] for name, column in _BY_POSITION[position]}


def columns_of(content: Content) -> dict[str, Any]:
    """The annotation's own columns for this content."""
    return {column: content[name] for name, column in ANNOTATION_COLUMNS.items()} | {
        "confidence": int(content["confidence"]) if content["confidence"] else None,
        "origin_confirmed": bool(content["origin_confirmed"]),
    }


def write_rows(annotation: Annotation, content: Content) -> None:
    """Update the rows of passages, types and questions to match `content`. Each position keeps its row, because a
    passage's sources belong to it.
    """
    insert_or_change(
        [Passage(annotation=annotation, position=n, **passage_values(content, n)) for n in (1, 2)],
        at=["annotation_id", "position"],
        change=list(PASSAGE_COLUMNS.values()),
    )
    chosen = [(dimension.code, code) for dimension in taxonomy.DIMENSIONS for code in content[dimension.key]]
    if annotation.was_submitted:
        ContradictionType.objects.filter(annotation=annotation).delete()
    insert_or_change(
        [
            ContradictionType(annotation=annotation, position=position, dimension=dimension, code=code)
            for position, (dimension, code) in enumerate(chosen)
        ]
    )
    questions = questions_of(content)
    if annotation.was_submitted:
        Question.objects.filter(annotation=annotation, position__gt=len(questions)).delete()
    insert_or_change(
        [
            Question(annotation=annotation, position=position, text=text, answer_1=answer_1, answer_2=answer_2)
            for position, (text, answer_1, answer_2) in enumerate(questions, start=1)
        ],
        at=["annotation_id", "position"],
        change=["text", "answer_1", "answer_2"],
    )
