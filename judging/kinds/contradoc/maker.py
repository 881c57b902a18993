"""ContraDoc's way to make documents, put together from the modules beside this one."""

from ...making.registry import Maker
from .checks import CHECKS
from .edits import edits_for, gaps_of, insertion
from .generation import METHODS
from .statements import READER, locate, read_statements

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
)
