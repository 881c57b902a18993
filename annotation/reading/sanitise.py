"""Decides which parts of other people's HTML may be shown. The only way for a wiki's markup into our pages.

An allow-list, kept by nh3 (ammonia and html5ever, a browser's own parser): reading text with its lists, tables and
links. No script, style, form, picture, frame or event handler; only our own classes and ids, so that nothing can
cover the page or pass for part of it.
"""

import nh3

# The classes that the reading pane knows; see docs/evidence.md.
TAGGED = "ev-tagged"  # the paragraph with the tag; at most once in a text
ASIDE = "ev-aside"  # shown, but not text of the article: citation marks, clean-up tags, banners
THIS_TAG = "ev-this-tag"  # among these, the tag that is being annotated
BANNER = "ev-banner"
INFOBOX = "ev-infobox"
TABLE = "ev-table"
SCROLL = "ev-scroll"  # around a table, so that a wide one scrolls by itself
NOTE = "ev-note"  # our own words, such as how many rows are left out
SECTION = "ev-section"  # a section of a talk page
MENTIONS = "ev-mentions"  # a section about the contradiction
CLASSES = {TAGGED, ASIDE, THIS_TAG, BANNER, INFOBOX, TABLE, SCROLL, NOTE, SECTION, MENTIONS}

# Every id begins with this; no page of ours may use such ids.
ID_PREFIX = "ev-"

TAGS = {
    "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "dd", "del", "dfn", "div", "dl",
    "dt", "em", "figcaption", "figure", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "ol", "p", "pre",
    "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "u", "ul", "var",
}  # fmt: skip
_NO_CONTENT = {
    "applet", "audio", "button", "canvas", "datalist", "embed", "frame", "frameset", "head", "iframe", "map", "math",
    "noembed", "noframes", "noscript", "object", "option", "picture", "script", "select", "style", "svg", "template",
    "textarea", "title", "video", "xmp",
}  # fmt: skip
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_NUMBER = {str(number) for number in range(1, 1001)}
_DIRECTION = {"ltr", "rtl", "auto"}

_VALUES: dict[str, dict[str, set[str]]] = {
    "td": {"colspan": _NUMBER, "rowspan": _NUMBER},
    "th": {"colspan": _NUMBER, "rowspan": _NUMBER, "scope": {"row", "col"}},
    "ol": {"start": _NUMBER},
    "li": {"value": _NUMBER},
    # So that a scrolling table can be reached and scrolled with the keyboard.
    "div": {"tabindex": {"0"}, "role": {"region"}, "aria-label": {"Table"}},
}

_cleaner = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags=_NO_CONTENT,
    attributes={"*": {"lang"}, "a": {"href"}, "abbr": {"title"}} | {name: {"id"} for name in (*_HEADINGS, "section")},
    tag_attribute_values={name: {"dir": _DIRECTION} | _VALUES.get(name, {}) for name in TAGS},
    set_tag_attribute_values={"a": {"target": "_blank"}},
    allowed_classes=dict.fromkeys(TAGS, CLASSES),
    id_prefix=ID_PREFIX,
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel="noopener",
)


def safe(html: str) -> str:
    """The HTML with everything removed that is not on the list; safe to include in a page."""
    return _cleaner.clean(html)
