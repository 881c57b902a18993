"""The evidence for judging a tag, fetched by workers and kept with it: requested, claimed, and fetched, or marked
with the reason why not."""

from .asking import ask_again, ask_for_article, ask_for_evidence, is_to_be_asked_for, tags_without_evidence
from .fetching import fetch_request
from .queue import claim_request, next_tags, work_off
