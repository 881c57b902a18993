"""The paper's labelling configuration for Label Studio, made from the form's fields and the taxonomy."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .. import taxonomy
from ..content.fields import FIELDS, STEPS, Field
from ..content.paper_record import TAXONOMY

# The fields of a task shown above the form, with their headings.
SHOWN = {
    "title": "Article",
    "url": "Address",
    "tag": "Tag",
    "tagDate": "Date of the tag",
    "tagReason": "Reason",
    "paragraph_A": "Paragraph with the tag",
    "paragraph_A_clean": "Paragraph without it",
}
# Every control refers to an object; all of ours are about the whole task.
OBJECT = "paragraph_A"
CHOICES, TEXT, PATHS, RATING = "choices", "textarea", "taxonomy", "rating"
HINTS = {"_answer1": "add the answer based on Passage 1", "_answer2": "add the answer based on Passage 2"}


def control_of(name: str) -> str:
    """The type of the control with this name: "choices", "textarea", "taxonomy" or "rating"."""
    if name == TAXONOMY:
        return PATHS
    if name == "confidence":
        return RATING
    return CHOICES if name in FIELDS and FIELDS[name].choices else TEXT


def labelling_config() -> str:
    """The configuration as XML."""
    view = Element("View")
    for name, heading in SHOWN.items():
        SubElement(view, "Header", value=heading, size="5")
        SubElement(view, "Text", name=name, value=f"${name}")
    for step, heading in STEPS.items():
        SubElement(view, "Header", value=f"{step}. {heading}", size="4")
        for field in FIELDS.values():
            if field.step == step and field.name != "origin_confirmed" and not field.multiple:
                _add_control(view, field)
        if step == FIELDS[taxonomy.DIMENSIONS[0].key].step:
            _add_taxonomy(view)
    indent(view, "  ")
    return tostring(view, encoding="unicode") + "\n"


def _add_control(view: Element, field: Field) -> None:
    SubElement(view, "Header", value=field.label, size="6")
    names = {"name": field.name, "toName": OBJECT}
    kind = control_of(field.name)
    if kind == CHOICES:
        control = SubElement(view, "Choices", names, choice="single", showInline="true")
        for choice in field.choices:
            SubElement(control, "Choice", value=choice)
    elif kind == RATING:
        SubElement(view, "Rating", names, maxRating=field.choices[-1])
    else:
        hint = next((hint for end, hint in HINTS.items() if field.name.endswith(end)), "")
        shown = {"placeholder": hint} if hint else {}
        rows = "4" if "information" in field.name else "1"
        SubElement(view, "TextArea", names, rows=rows, editable="true", maxSubmissions="1", **shown)


def _add_taxonomy(view: Element) -> None:
    control = SubElement(view, "Taxonomy", {"name": TAXONOMY, "toName": OBJECT})
    for dimension in taxonomy.DIMENSIONS:
        parent = SubElement(control, "Choice", value=dimension.key)
        for option in dimension.options:
            SubElement(parent, "Choice", value=option.published)


def control_names() -> Iterator[str]:
    """The names of all controls."""
    yield from (name for name, field in FIELDS.items() if name != "origin_confirmed" and not field.multiple)
    yield TAXONOMY
