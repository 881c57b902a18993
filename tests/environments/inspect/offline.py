"""Inspect without the network: its mock model counts tokens with an encoding that it would fetch. Inspect's
environment runs this, we do not.

    python offline.py TASK.py LOGS eval TASK.py ...

First with a mock model that answers and one that judges, logged as JSON; then Inspect's own command, in the same
process, as its imports take seconds.
"""

import sys

import tiktoken
from tiktoken import registry

# One token for each byte.
registry.ENCODINGS = {
    "o200k_base": tiktoken.Encoding(
        "o200k_base", pat_str=r"[\s\S]", mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={}
    )
}

from inspect_ai import eval as inspect_eval  # noqa: E402
from inspect_ai._cli.main import main  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402


def answer(messages, *_):
    """To the question about bridge 3 with template 1 it fails, with template 4 it is cut; else it has an answer."""
    asked = messages[-1].text
    if "bridge 3" in asked and "Context:" not in asked:
        raise RuntimeError("The mock model fails.")
    is_cut = "bridge 3" in asked and "Carefully" not in asked
    said = "<think>Which one?</think>It opened in 1903, but also in 1899."
    return ModelOutput.from_content("mockllm/answers", said, stop_reason="max_tokens" if is_cut else "stop")


def judge(messages, *_):
    """Its replies about bridge 2 are unreadable."""
    instance = messages[-1].text.rpartition("Testing instance")[2]
    said = "I cannot say." if "bridge 2" in instance else "comment: It gives both years.\nevaluation: correct"
    return ModelOutput.from_content("mockllm/judge", said)


def mock(task, logs):
    inspect_eval(
        task,
        model=get_model("mockllm/answers", custom_outputs=answer),
        model_roles={"grader": get_model("mockllm/judge", custom_outputs=judge)},
        task_args={"templates": ["1", "4", "5", "5.3"]},
        epochs=2,
        fail_on_error=False,
        log_dir=logs,
        log_format="json",
        display="plain",
    )


if __name__ == "__main__":
    _, mocked, logs, *command = sys.argv
    mock(mocked, logs)
    sys.argv[1:] = command
    main()
