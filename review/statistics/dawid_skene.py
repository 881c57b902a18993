"""Estimates each person's confusion and each response's verdict from people's verdicts.

Dawid & Skene 1979, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied Statistics
28:20-28. Each response has one true verdict that nobody sees; given it, people judge independently, each with error
rates of their own. Related responses, or an error that several people share, are not in this model, so it is more
certain of itself than it should be.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.languages import say

from .estimates import ONE_VERDICT, Undefined

# The errors of two people cannot be distinguished; those of three can, on responses that all three judged.
FEWEST_PEOPLE = 3
# Below this, the estimate is the noise of a few responses. Our own choice.
FEWEST_RESPONSES = 10
MOST_ROUNDS, SMALL_STEP = 2_000, 1e-10
NO_OVERLAP = Undefined(
    say(
        "fewer than {fewest_responses} responses have verdicts of three or more people, so nothing "
        "tells one person's errors from another's",
        fewest_responses=FEWEST_RESPONSES,
    )
)
APART = Undefined(say("the people fall into groups that judged no response in common"))


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """The estimate for N responses, P people and K verdicts.

    `prior` (K,) is how often each verdict is the true one. `confusion` (P, K, K) has for each person a row for each
    true verdict, the probabilities of what they say; `expected` (P, K) on how many of their responses, expected, each
    row rests, and a row that rests on none is nan. `posterior` (N, K) holds those of a response's verdicts.
    """

    prior: np.ndarray
    confusion: np.ndarray
    expected: np.ndarray
    posterior: np.ndarray
    rounds: int


def dawid_skene(
    responses: npt.ArrayLike,
    people: npt.ArrayLike,
    verdicts: npt.ArrayLike,
    *,
    k: int,
    responses_in_all: int | None = None,
) -> DawidSkene | Undefined:
    """The maximum likelihood estimate by EM from judgments, given as parallel numbers from 0 of response, person and
    verdict. It begins, as in the paper, with each response's shares of verdicts. A response without a verdict, also
    beyond the last one where there are `responses_in_all`, has a posterior of zeros.

    Undefined where all verdicts are the same, where fewer than FEWEST_RESPONSES responses have verdicts of three
    people, or where people fall into groups without a response in common. Raises ValueError for other numbers.
    """
    response, person, verdict = (np.asarray(each, dtype=np.int64) for each in (responses, people, verdicts))
    if not (response.shape == person.shape == verdict.shape) or response.ndim != 1:
        raise ValueError("responses, people and verdicts run in parallel")
    if len(response) and (min(response.min(), person.min(), verdict.min()) < 0 or verdict.max() >= k):
        raise ValueError(f"a verdict is a number from 0 to {k - 1}")
    nothing = _says_nothing(response, person, verdict)
    if nothing is not None:  # it is false, like every number that is not defined
        return nothing
    return _estimate(response, person, verdict, k, max(responses_in_all or 0, int(response.max()) + 1))


def _says_nothing(response: np.ndarray, person: np.ndarray, verdict: np.ndarray) -> Undefined | None:
    pairs = np.unique(np.stack([response, person], axis=1), axis=0)
    people_each = np.bincount(pairs[:, 0]) if len(pairs) else np.zeros(0)
    if np.count_nonzero(people_each >= FEWEST_PEOPLE) < FEWEST_RESPONSES:
        return NO_OVERLAP
    if len(np.unique(verdict)) == 1:
        return ONE_VERDICT
    return None if _are_linked(pairs) else APART


def _are_linked(pairs: np.ndarray) -> bool:
    """Return whether every person can be reached from every other through responses that two of them judged."""
    from scipy.sparse import coo_array  # scipy takes 30 MB, so only processes that make a report import it
    from scipy.sparse.csgraph import connected_components

    _, response = np.unique(pairs[:, 0], return_inverse=True)
    _, person = np.unique(pairs[:, 1], return_inverse=True)
    size = response.max() + 1 + person.max() + 1
    links = coo_array((np.ones(len(pairs)), (response, response.max() + 1 + person)), shape=(size, size))
    return int(connected_components(links, directed=False, return_labels=False)) == 1


def _estimate(response: np.ndarray, person: np.ndarray, verdict: np.ndarray, k: int, n: int) -> DawidSkene:
    p = int(person.max()) + 1
    said = person * k + verdict

    def summed(weights: np.ndarray, where: np.ndarray, size: int) -> np.ndarray:
        """Rows (judgments, k) added up by `where`: (size, k)."""
        columns = [np.bincount(where, weights=column, minlength=size) for column in weights.T]
        return np.stack(columns, axis=1)

    judged = np.bincount(response, minlength=n) > 0
    posterior = summed(np.eye(k)[verdict], response, n)
    posterior[judged] /= posterior[judged].sum(axis=1, keepdims=True)
    before, rounds = -np.inf, 0
    while True:
        # M: equations 2.3 and 2.4. `counts` (p, k, k): person, true verdict, verdict given.
        prior = posterior[judged].mean(axis=0)
        counts = summed(posterior[response], said, p * k).reshape(p, k, k).transpose(0, 2, 1)
        expected = counts.sum(axis=2)
        confusion = np.divide(
            counts, expected[..., None], out=np.full_like(counts, np.nan), where=expected[..., None] > 0
        )
        # E: equation 2.5, in logarithms; a row that rests on nothing belongs to a verdict that has no weight.
        with np.errstate(divide="ignore"):
            logs = np.log(np.nan_to_num(confusion, nan=1.0)).transpose(0, 2, 1).reshape(p * k, k)
            joint = np.log(prior) + summed_logs(logs[said], response, n)
        likelihood = np.logaddexp.reduce(joint[judged], axis=1)
        posterior = np.zeros((n, k))
        # Rounded, so that an error of the last digit does not decide between equally likely answers.
        posterior[judged] = np.exp(joint[judged] - likelihood[:, None]).round(12)
        now, rounds = float(likelihood.sum()), rounds + 1
        if now - before <= SMALL_STEP * abs(now) or rounds == MOST_ROUNDS:
            return DawidSkene(prior, confusion, expected, posterior, rounds)
        before = now


def summed_logs(logs: np.ndarray, response: np.ndarray, n: int) -> np.ndarray:
    """Rows (judgments, k) of logarithms added up by response: (n, k). Here -inf is a number: the logarithm of an
    impossible verdict."""
    sums = np.zeros((n, logs.shape[1]))
    np.add.at(sums, response, logs)
    return sums
