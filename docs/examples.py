"""Texts that the people of the demo write about the sample articles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """An annotation of a valid tag: the texts by field of the desk, the labels ticked in step 4, the questions."""

    texts: dict[str, str]
    types: list[str]
    questions: list[tuple[str, str, str]]
    confidence: str


VIADUCT = Example(
    {
        "paragraphA_information_standalone": "The Harrick Viaduct has 24 spans.",
        "paragraphB_information": "The viaduct carries the track on 27 semicircular arches, each with a clear span "
        "of 12 metres.",
        "paragraphB_information_standalone": "The Harrick Viaduct carries the track on 27 semicircular arches, each "
        "with a clear span of 12 metres.",
        "relevantInfo_comment_A": "the viaduct has 24 spans",
        "relevantInfo_comment_A_Span": "24 spans",
        "relevantInfo_comment_B": "27 arches carry the track",
        "relevantInfo_comment_B_Span": "27 semicircular arches",
    },
    ["Number", "Text - Infobox/table", "Within the same article", "Implicit"],
    [
        ("How many arches carry the track over the Harrick Viaduct?", "24", "27"),
        ("Does the Harrick Viaduct have more than 25 spans?", "No", "Yes"),
    ],
    "5",
)
PROCESS = Example(
    {
        "paragraphA_information_standalone": "In the Brenner process, the mixture of brine and lime is heated. As "
        "the vessel is open, the temperature never exceeds the boiling point of the brine, about 108 °C.",
        "paragraphB_information": "The brine is heated to 180 °C under pressure.",
        "paragraphB_information_standalone": "In the Brenner process, the brine is heated to 180 °C under pressure.",
        "relevantInfo_comment_A": "the brine gets no hotter than 108 °C",
        "relevantInfo_comment_A_Span": "about 108 °C",
        "relevantInfo_comment_B": "the brine is heated to 180 °C",
        "relevantInfo_comment_B_Span": "180 °C",
    },
    ["Number", "Text - Text", "Within the same article", "Explicit"],
    [("To what temperature is the brine heated in the Brenner process?", "108 °C", "180 °C")],
    "4",
)
OBSERVATORY = Example(
    {
        "paragraphA_information_standalone": "With its collecting area of just over two square metres, the main "
        "mirror of the Saltmarsh Observatory was the largest in the country when it was installed.",
        "paragraphB_information": "Its main telescope has a mirror 1.2 metres across.",
        "paragraphB_information_standalone": "The main telescope of the Saltmarsh Observatory has a mirror 1.2 "
        "metres across.",
        "relevantInfo_comment_A": "the main mirror has an area of just over two square metres",
        "relevantInfo_comment_A_Span": "just over two square metres",
        "relevantInfo_comment_B": "the main mirror is 1.2 metres across, which makes 1.1 square metres",
        "relevantInfo_comment_B_Span": "1.2 metres across",
    },
    ["Number", "Text - Text", "Within the same article", "Implicit"],
    [("How large is the main mirror of the Saltmarsh Observatory?", "Just over two square metres", "1.1 m²")],
    "5",
)
NOT_VALID = "The older inn burnt down in 1787: an inn of 1540 and a building of 1788 can both be true."
RETURN = "Passage 1 needs only its second sentence. Please take out the first."
