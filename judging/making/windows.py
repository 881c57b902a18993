"""Long texts in windows that a model can read, so that none is cut. Text in, texts out."""

from collections.abc import Callable

from annotation.reading.sentences import sentences

Length = Callable[[str], int]


def windows_of(text: str, most: int, length: Length = len) -> list[str]:
    """The text in windows of whole sentences, of which none is longer than `most`. Each begins about half a window
    after the one before, so that what stands at the end of one is in the middle of the next. Longer sentences are
    split between words. Every word is in a window.

    Args: length: the length of a text, in the unit of `most`.
    """
    if length(text) <= most:
        return [text]
    spans = [part for span in sentences(text) for part in _parts(text, span.start, span.end, most, length)]
    found, first = [], 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and length(text[spans[first][0] : spans[last + 1][1]]) <= most:
            last += 1
        found.append(text[spans[first][0] : spans[last][1]])
        if last == len(spans) - 1:
            break
        middle = (spans[first][0] + spans[last][1]) / 2
        first = next((number for number in range(first + 1, last + 1) if spans[number][0] >= middle), last + 1)
    return found


def _parts(text: str, start: int, end: int, most: int, length: Length) -> list[tuple[int, int]]:
    """The parts of a sentence that fit, split at the blank nearest to the middle, or in the middle."""
    if end - start < 2 or length(text[start:end]) <= most:
        return [(start, end)]
    middle = (start + end) // 2
    blanks = [number for number in range(start + 1, end) if text[number].isspace()]
    split = min(blanks, key=lambda number: abs(number - middle), default=middle)
    return [*_parts(text, start, split, most, length), *_parts(text, split, end, most, length)]


def pairs_of_windows(first: str, second: str, most: int, length: Length) -> list[tuple[str, str]]:
    """Two texts in pairs of windows that together are no longer than `most`. The shorter one stays whole if it fits
    into half of that.
    """
    of_first, of_second = length(first), length(second)
    if of_first + of_second <= most:
        return [(first, second)]
    half = most // 2
    for_first = max(half, most - of_second)
    for_second = max(half, most - of_first)
    return [
        (one, other)
        for one in windows_of(first, for_first, length)
        for other in windows_of(second, for_second, length)
    ]
