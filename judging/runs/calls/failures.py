"""Groups failed calls with the same problem: same model, same kind, same message.

Messages differ in details of the single call: its id, token counts, times. Grouping must not read 100,000 messages,
so each call has the name of its group from the moment it fails.
"""

import hashlib
import re

GROUP_LENGTH = 12
# The group of a call without a failure.
NOTHING_SAID = {"reason": "", "error": "", "failure_group": ""}
# The later part of a message mostly repeats the request.
COMPARED_CHARACTERS = 300
# Words with a digit in them: numbers, ids, times, amounts, addresses with a port.
OF_ONE_CALL = re.compile(r"\b[\w.:+-]*\d[\w.:+-]*")
QUOTED = re.compile(r"“[^”]{40,}”|\"[^\"]{40,}\"|'[^']{40,}'|`[^`]{40,}`")


def general_message(message: str) -> str:
    """The message without details of the single call: ids, numbers and long quotations."""
    general = OF_ONE_CALL.sub("#", QUOTED.sub("“…”", message[: 10 * COMPARED_CHARACTERS]))
    return " ".join(general.split())[:COMPARED_CHARACTERS]


def failure_group(model: int, reason: str, message: str) -> str:
    """The name of a failure's group: 12 hexadecimal digits from model, kind and general message."""
    said = f"{model}\0{reason}\0{general_message(message)}"
    return hashlib.sha256(said.encode()).hexdigest()[:GROUP_LENGTH]


def given_up_group(group: str) -> str:
    """The group of calls that were in doubt in `group` and have been given up."""
    return hashlib.sha256(f"given up\0{group}".encode()).hexdigest()[:GROUP_LENGTH]
