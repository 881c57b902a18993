# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the logged samples of lm-evaluation-harness into a file of answers: python to_answers.py MODEL samples_*.jsonl

The file goes to the standard output; manage.py import_conflictbank_answers reads it.
"""

import json
import sys

LETTERS = ["A", "B", "C", "D"]


def main(model: str, files: list[str]) -> None:
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                sample = json.loads(line)
                doc, replies = sample["doc"], sample["filtered_resps"]
                values = [float(reply[0] if isinstance(reply, list) else reply) for reply in replies]
                logprobs = {f" {letter}": min(value, 0.0) for letter, value in zip(LETTERS, values, strict=True)}
                order = {"order": doc["order"]} if doc["order"] else {}
                about = {"item": doc["item"], "condition": doc["condition"], **order}
                print(json.dumps({**about, "model": model, "logprobs": logprobs}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
