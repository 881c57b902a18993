"""Checks of endpoints: that their keys are set where calls are made, and that their hosts answer."""

from collections.abc import Iterator

from core.health.checks import Finding, State
from core.health.hosts import Peer, host_findings
from core.languages import say
from core.words import joined_names

from ..catalogue.needs import find_needs
from ..endpoints.addresses import EndpointRefused, check_base_url, may_be_private
from ..models import LanguageModel, ModelKind


def offered_models() -> list[LanguageModel]:
    """The models at endpoints that new runs may ask."""
    return list(LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT).order_by("name"))


def key_findings() -> list[Finding]:
    """Return whether each key is set here and where workers run. No key is shown, only its variable's name."""
    name, missing = say("Keys of models"), []
    for model in offered_models():
        needs = find_needs(model.base_url, [model.key_name, *model.headers.values()])
        lacks = {variable for variable, problem in needs.problems.items() if problem}
        lacks |= {variable for worker in needs.workers for variable in worker.lacks}
        missing += [f"{variable} ({model.name})" for variable in sorted(lacks)]
    if missing:
        todo = say("Set each variable where web and worker are started, list it in LLM_KEY_NAMES, and restart both.")
        return [Finding(name, State.FAILED, say("Not set: {missing}.", missing=joined_names(missing, most=6)), todo)]
    return [Finding(name, State.OK, say("The keys of all offered models are set."))]


def endpoint_findings() -> Iterator[Finding]:
    """One finding for each host of an offered model."""
    peers = []
    for model in offered_models():
        try:
            check_base_url(model.base_url)
        except EndpointRefused as refused:
            todo = say("Correct the model's address, or add its host to LLM_ALLOWED_HOSTS and restart.")
            yield Finding(say("Model {name}", name=model.name), State.FAILED, str(refused), todo)
            continue
        peers.append(Peer(say("Model {name}", name=model.name), model.base_url, local=may_be_private(model.base_url)))
    yield from host_findings(peers)
