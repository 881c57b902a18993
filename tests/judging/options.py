"""A made-up benchmark whose task compares the probabilities of options, for tests of log-probabilities."""

from dataclasses import dataclass

from annotation.kinds import registry
from annotation.models.releases import Listed
from annotation.releases.files import formats
from annotation.releases.items.releasing import release_contents
from judging.models import PromptTemplate
from judging.protocol import tasks
from judging.protocol.replies import Reply, ReplySpec, Token

CONTENTS = [{"question": f"Which one? ({number})", "right": "A"} for number in range(3)]
BENCHMARK = {"code": "options", "name": "Options", "listed": lambda content: Listed(content["question"])}


def read_option(reply: Reply) -> tasks.Read:
    """The likeliest of the first token's options."""
    if not reply.tokens:
        return tasks.Read(problem="the endpoint gave no log-probabilities")
    top = reply.tokens[0].top
    return tasks.Read({"option": next(iter(top)).strip(), "logprob": next(iter(top.values()))})


@dataclass(frozen=True, slots=True)
class Score:
    answer: str = ""


class Option(tasks.Task):
    code, name, benchmark = "options", "Which option?", "options"
    placeholders, needed = frozenset({"question"}), "question"
    reader = tasks.TaskReader("likeliest", 1, read_option)
    score_shape = Score
    reply_spec = ReplySpec(top_logprobs=4, most_tokens=1)
    wordings = {"options": (tasks.Wording("Plain", "{question} Answer:", "Made up"),)}
    baselines = {"always B": lambda content: Reply("B", tokens=(Token("B", -0.5, {"B": -0.5, "A": -1.0}),))}

    def score(self, content, value):
        return Score("right" if value["option"] == content["right"] else "wrong")


class EachOption(Option):
    """One call for each of four options; that with the most probable "yes" is the answer."""

    code, name = "each-option", "Is this option right?"
    placeholders, needed = frozenset({"question", "option"}), "question"
    reader = tasks.TaskReader("most-probable-yes", 1, read_option)
    wordings = {"each-option": (tasks.Wording("Plain", "{question} Is it {option}?", "Made up"),)}

    def parts(self, content):
        return 4

    def part_values(self, content, part):
        return {"question": content["question"], "option": "ABCD"[part - 1]}

    def part_baseline(self, name, content, template, variant, part):
        probability = -0.1 if part == 2 else -1.0
        return Reply("yes", tokens=(Token("yes", probability, {"yes": probability}),))

    def read_parts(self, content, replies):
        if not all(reply.tokens for reply in replies):
            return tasks.Read(problem="the endpoint gave no log-probabilities")
        best = max(range(4), key=lambda number: replies[number].tokens[0].logprob)
        return tasks.Read({"option": "ABCD"[best], "logprobs": [reply.tokens[0].logprob for reply in replies]})


def install_options(monkeypatch) -> PromptTemplate:
    """The template of the task, with a release of three items."""
    monkeypatch.setattr(registry, "_benchmarks", dict(registry._benchmarks))
    monkeypatch.setattr(formats, "_registered", dict(formats._registered))
    monkeypatch.setattr(tasks._known, "tasks", dict(tasks._known.tasks))
    benchmark = registry.Benchmark(**BENCHMARK)
    registry.register(benchmark)
    tasks.register(Option())
    tasks.register(EachOption())
    release_contents(benchmark=benchmark, name="Options", contents=CONTENTS)
    return PromptTemplate.objects.get(code="options")
