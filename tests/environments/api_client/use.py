"""Uses a client that was generated from the description of the API; its environment runs this, we do not.

    python use.py FOLDER ADDRESS REQUESTS

FOLDER has the generated package `client`. REQUESTS is a JSON file with `tokens` by role, `reads` (role, operation and
the parameters of its path) and the number of an `annotation` of the annotator. Prints a line of JSON with the status
of each operation. Ends with an error if an answer is read as anything but what was sent.
"""

import importlib
import json
import sys
from pathlib import Path


def main(folder: str, address: str, requests: str) -> None:
    sys.path.insert(0, folder)
    from client import AuthenticatedClient

    asked = json.loads(Path(requests).read_text())
    clients = {
        role: AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
        for role, token in asked["tokens"].items()
    }
    modules = {path.stem: path for path in Path(folder, "client", "api").rglob("*.py")}
    found = {}
    for read in asked["reads"]:
        path = modules[read["operation"]]
        operation = importlib.import_module(f"client.api.{path.parent.name}.{path.stem}")
        answer = operation.sync_detailed(client=clients[read["role"]], **read["path"])
        found[read["operation"]] = int(answer.status_code)
        as_sent(answer)
    found |= work(clients, asked["annotation"])
    print(json.dumps(found))


def as_sent(answer) -> None:
    """A JSON answer that was read and written again is the same."""
    if not answer.content or answer.headers.get("content-type", "").partition(";")[0] not in (
        "application/json",
        "application/problem+json",
    ):
        return
    read = answer.parsed
    again = [each.to_dict() for each in read] if isinstance(read, list) else read.to_dict()
    sent = json.loads(answer.content)
    assert plain(again) == plain(sent), f"{again} is read of {sent}"


def plain(value):
    """The value with times in one spelling."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.removesuffix("Z").removesuffix("+00:00") if isinstance(value, str) else value


def work(clients, annotation: int) -> dict[str, int]:
    """Save, comment, submit and read, by the classes of the client."""
    from client.api.annotations import get_comments, get_own_annotation, post_comments, put_annotation_draft
    from client.api.assignments import post_assignments_next
    from client.api.people import get_people, post_people_change
    from client.api.runs import get_runs
    from client.models import (
        ChangePeopleInRequest,
        ChangePeopleInRequestAction,
        CommentInRequest,
        DraftInRequest,
        DraftInRequestContent,
        GetRunsState,
        ProblemOut,
    )

    annotator, admin = clients["annotator"], clients["admin"]
    content = DraftInRequestContent.from_dict({"question1": "Which?", "Contradict type I": ["DATE"]})
    own = get_own_annotation.sync(annotation, client=annotator)
    other = DraftInRequestContent.from_dict({"question1": "When?"})
    based = {"client": annotator, "if_match": f'"{own.version}"'}
    saved = put_annotation_draft.sync_detailed(annotation, body=DraftInRequest(content=content), **based)
    late = put_annotation_draft.sync_detailed(annotation, body=DraftInRequest(content=other), **based)
    assert saved.parsed.version == own.version + 1
    assert isinstance(late.parsed, ProblemOut)
    written = post_comments.sync_detailed(annotation, client=annotator, body=CommentInRequest(text="Which bridge?"))
    assert written.parsed in get_comments.sync(annotation, client=annotator)
    following = post_assignments_next.sync_detailed(client=annotator)
    assert get_runs.sync(client=admin, state=GetRunsState.CANCELLED).results == []
    (stan,) = [each for each in get_people.sync(client=admin).results if each.username == "stan"]
    close = ChangePeopleInRequest(ids=[stan.id], action=ChangePeopleInRequestAction.CLOSE)
    closed = post_people_change.sync_detailed(client=admin, body=close)
    assert closed.parsed.changed == 1
    answers = {"saved": saved, "late": late, "written": written, "next": following, "closed": closed}
    return {name: int(answer.status_code) for name, answer in answers.items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
