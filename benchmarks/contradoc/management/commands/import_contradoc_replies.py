"""Import replies to ContraDoc's tasks from a file of JSON Lines, each with document, task, model and text.

The tasks are binary, topk, judge_then_find, given_sentence and free_format. It is import_task_replies under the name
by which it has been known. All of it or nothing; a second time changes nothing.

manage.py import_contradoc_replies replies.jsonl --release 2
"""

from judging.management.commands.import_task_replies import Command as ImportTaskReplies


class Command(ImportTaskReplies):
    help = __doc__
