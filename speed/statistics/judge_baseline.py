"""Measures the agreement of the baseline judge with the human labels of the released sample.

    python -m speed.statistics.judge_baseline [FOLDER]

FOLDER holds `wikicontradict_humaneval_sample.json`; the default is WIKICONTRADICT_DATA, else ../shared/data.
The rules were written while looking at the responses of Mixtral and Llama 3; those of GPT-4 were not.
"""

import json
import os
import sys
from pathlib import Path

from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from benchmarks.wikicontradict.protocol.baseline_judge import judge_by_matching
from benchmarks.wikicontradict.protocol.prompts import TEMPLATES
from judging.protocol.prompts import render
from judging.protocol.verdicts import Verdict

LABELS = {verdict.label: verdict for verdict in Verdict}


def judged(released: dict) -> list[dict]:
    """A row for each response: model, template, the human verdict and ours."""
    rows = []
    for model, instances in released.items():
        for instance in instances:
            values = {"answer1": instance["question1_answer1"], "answer2": instance["question1_answer2"]}
            for number in "12345":
                template = TEMPLATES[number]
                if template.applies_to != "all" and instance["samepassage"] == "Same":
                    continue
                response = instance[f"ModelAnswer_prompt_{int(number) - 1}"]
                gold = [render(answer, values) for answer in template.correct_answers]
                ours = judge_by_matching(instance["question1"], gold, response, allowed=template.verdicts)
                human = LABELS[instance[f"ModelAnswer_prompt_{int(number) - 1}_humanEval"]]
                rows.append({"model": model, "template": number, "human": human, "ours": ours.verdict})
    return rows


def line(name: str, rows: list[dict]) -> str:
    human, ours = [row["human"] for row in rows], [row["ours"] for row in rows]
    labels = [verdict for verdict in Verdict if verdict in {*human, *ours}]
    accuracy = accuracy_score(human, ours)
    macro_f = f1_score(human, ours, labels=labels, average="macro", zero_division=0)
    most = max(human.count(verdict) for verdict in Verdict) / len(human)
    return f"{name:32} {len(rows):5} {accuracy:9.3f} {macro_f:8.3f} {most:14.3f}"


def main() -> None:
    default = os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[2] / "shared" / "data")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else default)
    rows = judged(json.loads((folder / "wikicontradict_humaneval_sample.json").read_text("utf-8")))
    print(f"{'':32} {'n':>5} {'accuracy':>9} {'macro-F':>8} {'most frequent':>14}")
    for number in "12345":
        print(line(f"template {number}", [row for row in rows if row["template"] == number]))
    for model in dict.fromkeys(row["model"] for row in rows):
        print(line(model, [row for row in rows if row["model"] == model]))
    print(line("all", rows))
    print("\nrows: human, columns: judge without a model (correct, partially correct, incorrect)")
    print(confusion_matrix([row["human"] for row in rows], [row["ours"] for row in rows], labels=list(Verdict)))


if __name__ == "__main__":
    main()
