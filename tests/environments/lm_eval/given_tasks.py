"""The harness's own commands, with no tasks but those that it is given: to list its own takes it ten seconds.

    python given_tasks.py validate ... -- run ...

One after the other in one process, as its imports take seconds; the first that fails ends it.
"""

import sys

from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager

begin = TaskManager.__init__


def begin_without_its_own(self, *args, **options):
    begin(self, *args, **(options | {"include_defaults": False}))


TaskManager.__init__ = begin_without_its_own
for command in " ".join(sys.argv[1:]).split(" -- "):
    sys.argv[1:] = command.split()
    try:
        cli_evaluate()
    except SystemExit as end:
        if end.code:
            raise
