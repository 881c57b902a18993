"""Import replies to ContraDoc's tasks from a file of JSON Lines, each with document, task, model and text.

The tasks are binary, topk, judge_then_find, given_sentence and free_format. It is import_task_replies under its
earlier name. All of it or nothing; importing a file again changes nothing.

manage.py import_contradoc_replies replies.jsonl --release 2
"""

from judging.management.commands.import_task_replies import Command as ImportTaskReplies


class Command(ImportTaskReplies):
    help = __doc__
