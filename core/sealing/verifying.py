"""Verifies the chain: each seal follows from its entry and the seal before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..health.signs import give_sign, last_sign
from ..models import Event, Seal, SignKind
from ..words import plural
from .digests import COLUMNS, START, digest_of
from .sealing import seal_new_entries

# The highest number of sentences about one chain, and of seals read at a time.
MOST_NAMED, READ_AT_ONCE = 20, 500


@dataclass
class Chain:
    """The result of a verification: how many seals there are, the last digest, and what is wrong, in sentences."""

    position: int = 0
    digest: str = START
    wrong: list[str] = field(default_factory=list)

    def say(self, sentence: str) -> None:
        if len(self.wrong) < MOST_NAMED:
            self.wrong.append(sentence)


def verify_log() -> Chain:
    """Seal what is new, verify the whole chain, and record the result for `doctor`."""
    seal_new_entries(all_of_them=True)
    sign = last_sign(SignKind.LOG)
    known = sign.facts if sign else {}
    chain = verify(known=known)
    # The end of a broken chain is not believed the next time.
    end = known if chain.wrong else {"position": chain.position, "digest": chain.digest}
    position, digest = end.get("position", 0), end.get("digest", START)
    give_sign(SignKind.LOG, position=position, digest=digest, wrong=chain.wrong)
    return chain


def verify(*, after: int = 0, known: dict[str, Any] | None = None) -> Chain:
    """Verify the seals after this position. `known` has the position and digest of a seal that was verified before:
    a chain that was made anew does not have it.
    """
    first = Seal.objects.filter(position=after).first() if after else None
    chain = Chain(after, first.digest if first else START)
    at, digest = (known or {}).get("position", 0), (known or {}).get("digest", "")
    expected = chain.digest
    for seal, entry in _sealed(after):
        if sentence := _problem(seal, entry, chain, expected):
            chain.say(sentence)
        if seal.position == at and seal.digest != digest:
            chain.say(f"Seal {at:,} is another one than when the log was last verified.")
        expected = digest_of(chain.digest, seal.position, entry) if entry else seal.digest
        chain.position, chain.digest = seal.position, seal.digest
    if chain.position < at:
        chain.say(f"The log ends with seal {chain.position:,}, and had seal {at:,} when it was last verified.")
    return chain


def _sealed(after: int) -> Iterator[tuple[Seal, Sequence[Any] | None]]:
    """The seals after this position in order, each with the values of its entry; None if that is gone."""
    while seals := list(Seal.objects.filter(position__gt=after).order_by("position")[:READ_AT_ONCE]):
        rows = Event.everything.filter(pk__in=[seal.event_id for seal in seals]).order_by().values_list(*COLUMNS)
        entries = {row[0]: row for row in rows}
        yield from ((seal, entries.get(seal.event_id)) for seal in seals)
        after = seals[-1].position


def _problem(seal: Seal, entry: Sequence[Any] | None, chain: Chain, expected: str) -> str:
    """A sentence about a seal that does not follow from the `chain`; "" if it does. `expected` is what the digest
    before should have been: what follows from that is in order, and the seal before is not.
    """
    if seal.position > chain.position + 1:
        missing = seal.position - chain.position - 1
        return f"{plural(missing, 'seal is', 'seals are')} gone after seal {chain.position:,}."
    name = f"Entry {seal.event_id:,} (seal {seal.position:,})"
    if entry is None:
        return f"{name} is gone."
    if seal.digest in {digest_of(before, seal.position, entry) for before in (chain.digest, expected)}:
        return ""
    return f"{name} is not as it was sealed, or the entry before was changed together with its seal."


def wrong_log() -> list[str]:
    """Return at most one sentence: whether the log of a site that was restored or moved was tampered with."""
    wrong = verify().wrong
    return [f"the activity log was tampered with: {' '.join(wrong[:5])}"] if wrong else []
