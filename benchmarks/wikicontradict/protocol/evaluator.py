"""WikiContradictEval, the judge of the task: its prompt, the readers of its replies, and a judge without a model."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from judging.protocol.judges import Judge, Judged, Messages, VerdictReader
from judging.protocol.verdicts import Verdict

from .baseline_judge import BASELINE_JUDGE, GOLD_ANSWERS, baseline_reply
from .judge import ASSEMBLY, ASSEMBLY_AS_JSON, JUDGE, judge_messages, verdict_schema
from .verdict_readers import VERSIONS, Reader, read_verdict


class WikiContradictEval(Judge):
    name = JUDGE["name"]
    assembly, assembly_as_json = ASSEMBLY, ASSEMBLY_AS_JSON
    readers = tuple(
        VerdictReader(
            each.value,
            each.label,
            VERSIONS[each],
            partial(read_verdict, reader=each),
            reads_json=each == Reader.SEVERAL_FORMS,
        )
        for each in Reader
    )
    baselines = {GOLD_ANSWERS: BASELINE_JUDGE}

    def messages(self, judged: Judged) -> Messages:
        return judge_messages(judged.question, judged.answers, judged.text)

    def schema(self, offered: Sequence[Verdict]) -> dict[str, Any]:
        return verdict_schema(offered)

    def baseline_reply(self, name: str, judged: Judged) -> str:
        if name not in self.baselines:
            raise KeyError(name)
        how: dict[str, Any] = {"expects": judged.expects, "allowed": judged.offered}
        return baseline_reply(judged.question, judged.answers, judged.text, **how)
