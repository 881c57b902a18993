"""ContraDoc's way to make documents, assembled from the modules beside this one."""

from .checks import CHECKS, NEXT_SENTENCE, NLI, PROMPT_VERSION, perplexity, prompt_for, read_value
from .edits import edits_for, gaps_of, insertion
from .generation import METHODS
from .statements import READER, locate, read_statements
from .values import Maker

MAKER = Maker(
    benchmark="contradoc",
    doc_types=("news", "wiki", "story"),
    methods=METHODS,
    reader=READER,
    read=read_statements,
    locate=locate,
    edits=edits_for,
    gaps=gaps_of,
    insertion=insertion,
    checks=CHECKS,
    prompt_for=prompt_for,
    read_value=read_value,
    perplexity=perplexity,
    prompt_version=PROMPT_VERSION,
    prompted=(NLI, NEXT_SENTENCE),
)
