"""The process that reads a wiki's pages, run as a command by `core.killable`."""

import socket

from core.killable import serve

from ..wikitext.extraction import packed_tags
from . import pages, readable

# The functions that `in_child` may call, by name.
WORKS = {
    work.__name__: work
    for work in (
        pages.article_page,
        pages.marked_again,
        pages.talk_page,
        packed_tags,
        readable.paragraph_change,
        readable.plain_lines,
        readable.readable_page,
        readable.readable_text,
    )
}

if __name__ == "__main__":
    serve(socket.socket(fileno=0), WORKS)
