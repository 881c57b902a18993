"""Preloads a script's imports: the browser requests all of them immediately, and not layer by layer."""

import re
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()
# At the beginning of a line, as our formatter leaves them.
IMPORT = re.compile(r'^(?:import|export) (?:[^"();]+ from )?"(\.[^"]+)";', re.MULTILINE)


@register.simple_tag
@cache
def imports_of(*scripts: str) -> SafeString:
    """Links to all modules that these scripts import, nearest first."""
    addresses = ((static(name),) for name in modules_of(*scripts))
    return format_html_join("", '<link rel="modulepreload" href="{}">', addresses)


def modules_of(*scripts: str) -> list[str]:
    """The names of these modules, as `static` takes them."""
    found = list(scripts)
    for script in found:
        path = finders.find(script)
        source = Path(path).read_text() if path else ""
        imported = (normpath(str(PurePosixPath(script).parent / each)) for each in IMPORT.findall(source))
        found += [each for each in dict.fromkeys(imported) if each not in found]
    return found[len(scripts) :]
