"""A human evaluation as a file: records in the released shape, made up."""

import json
from pathlib import Path
from typing import Any


def record(number: int = 1, **values: Any) -> dict[str, Any]:
    """A record with answers to templates 1 and 5, both with a final verdict."""
    return {
        "modelName": "mist_annotated",
        "title": f"Bridge {number}",
        "url": f"https://wiki.example.org/wiki/Bridge_{number}",
        "question_ID": number,
        "question1": f"When did bridge {number} open?",
        "question1_context1": f"Bridge {number} opened in 1903.",
        "question1_context2": f"Bridge {number} opened in 1899.",
        "question1_answer1": "1903",
        "question1_answer2": "1899",
        "samepassage": "Different",
        "taxonomy-contradictTypeI": "(PhraseLevel) Entity - Date/time",
        "taxonomy-contradictTypeII": "Text - Text",
        "taxonomy-contradictTypeIII": "Within the same article",
        "taxonomy-contradictTypeIV": "Explicit",
        "ModelAnswer_prompt_0": "\nAnswer: In 1903.",
        "ModelAnswer_prompt_0_humanEval": "Partially correct",
        "ModelInput_prompt_0": f"When did bridge {number} open?\n",
        "goldAnswer_prompt_0": "1903 | 1899",
        "ModelAnswer_prompt_4": "One source says 1903, another one 1899.",
        "ModelAnswer_prompt_4_humanEval": "Correct",
        "ModelInput_prompt_4": "Question and passages.",
        "goldAnswer_prompt_4": "1903 | 1899",
        **values,
    }


def evaluation_file(folder: Path, *records: dict[str, Any], **models: list[dict[str, Any]]) -> Path:
    """A file with these records of the model "mist", or of the models given by name; spelled as the released one."""
    path = folder / "evaluation.json"
    path.write_text(json.dumps(models or {"mist": list(records)}, indent=1))
    return path
