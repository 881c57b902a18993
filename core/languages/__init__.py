"""The languages of pages and messages. The program's texts are English; pages show them in the reader's."""

from .texts import (
    Text,
    changed,
    figure,
    in_sentence,
    in_words_of,
    joined,
    number,
    say,
    say_count,
    say_date,
    say_in,
    translated,
)
