"""How a release and the paper are cited, in BibTeX. No rows here."""

import re

PAPER = """\
@inproceedings{hou2024wikicontradict,
  title     = {WikiContradict: A Benchmark for Evaluating LLMs on Real-World Knowledge Conflicts from Wikipedia},
  author    = {Hou, Yufang and Pascale, Alessandra and Carnerero-Cano, Javier and Tchrakian, Tigran and
               Marinescu, Radu and Daly, Elizabeth and Padhi, Inkit and Sattigeri, Prasanna},
  booktitle = {Advances in Neural Information Processing Systems 37, Datasets and Benchmarks Track},
  year      = {2024}
}"""


def citation(*, title: str, number: int, year: int, content_hash: str, authors: str = "", url: str = "") -> str:
    """The entry of a release. `authors` are parted by " and ", as BibTeX has them."""
    fields = {
        "title": title,
        "author": authors,
        "year": str(year),
        "version": str(number),
        "url": url,
        "note": f"SHA-256 of the content: {content_hash}",
    }
    lines = [f"  {name:7} = {{{_plain(value)}}}" for name, value in fields.items() if value]
    return f"@misc{{release{number}_{content_hash[:8]},\n" + ",\n".join(lines) + "\n}"


def _plain(text: str) -> str:
    """The text on one line, without the characters that end a field or begin a command."""
    return re.sub(r"\s+", " ", re.sub(r"[{}\\]", "", text)).strip()
