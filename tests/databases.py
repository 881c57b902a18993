"""Tests that run again, on PostgreSQL with Redis, and the reasons. All others say the same on any database.

A test that needs real transactions need not be listed where its file says so (`transaction=True`): it runs on both by
itself. One in a real browser or against a real wiki runs once, on SQLite: what the server does for it is tested here
without them.
"""

from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent

LOCKS = "who comes first when several write at once, and what is left when one ends half-way"
CONSTRAINTS = "constraints and triggers refuse in the database's own way"
COUNTS = "aggregates, JSON, text search and order, as the database has them"
TEXT = "what comes from outside and no database can hold: the two differ in what that is"
DOORS = "each door once: every address as every role, every command, every file"

ON_POSTGRESQL = {
    "annotation/test_claim_ahead.py": LOCKS,
    "annotation/test_claim_tag.py": LOCKS,
    "annotation/test_decisions_at_once.py": LOCKS,
    "annotation/test_evidence_queue.py": LOCKS,
    "annotation/test_dump_ranges.py": LOCKS,
    "annotation/test_harvest.py": LOCKS,
    "annotation/test_harvest_worker.py": LOCKS,
    "annotation/test_release_freezes.py": LOCKS,
    "annotation/test_review_sample.py": CONSTRAINTS,
    "annotation/test_find_contradictions.py": DOORS,
    "annotation/test_storing_and_deciding.py": CONSTRAINTS,
    "annotation/test_merging.py": CONSTRAINTS,
    "annotation/test_merging_schedules.py": CONSTRAINTS,
    "annotation/test_save_draft.py": LOCKS,
    "annotation/test_turns.py": LOCKS,
    "core/test_fitting_database.py": CONSTRAINTS,
    "core/test_triggers_off.py": CONSTRAINTS,
    "core/test_held_sending.py": LOCKS,
    "core/test_archives.py": DOORS,
    "core/test_odd_archives.py": DOORS,
    "upgrades/test_moving.py": DOORS,
    "judging/test_restore_in_a_run.py": LOCKS,
    "config/test_other_versions.py": CONSTRAINTS,
    "core/test_people_at_once.py": LOCKS,
    "core/test_two_clocks.py": LOCKS,
    "core/test_written_together.py": LOCKS,
    "core/test_webhooks.py": LOCKS,
    "judging/test_claims.py": LOCKS,
    "judging/test_judge_pairs.py": LOCKS,
    "judging/test_landing.py": LOCKS,
    "judging/test_model_suggestions.py": LOCKS,
    "judging/test_responses_in_pieces.py": LOCKS,
    "judging/test_run_engine.py": LOCKS,
    "judging/test_start_in_pieces.py": LOCKS,
    "judging/test_suggestion_calls.py": LOCKS,
    "wikicontradict/test_evaluation_in_pieces.py": LOCKS,
    "review/test_judgments_in_pieces.py": LOCKS,
    "review/test_review_at_once.py": LOCKS,
    "review/test_rounds_at_once.py": LOCKS,
    "review/test_own_rounds.py": COUNTS,
    "review/test_review_schedules.py": LOCKS,
    "review/test_rounds_in_pieces.py": LOCKS,
    "annotation/test_comments.py": CONSTRAINTS,
    "annotation/test_counterparts.py": CONSTRAINTS,
    "annotation/test_drafts_and_rows.py": CONSTRAINTS,
    "annotation/test_check_tags.py": CONSTRAINTS,
    "annotation/test_check_tags_hidden.py": DOORS,
    "annotation/test_guideline.py": CONSTRAINTS,
    "annotation/test_kinds.py": CONSTRAINTS,
    "annotation/test_my_work.py": COUNTS,
    "annotation/test_watch_on_desk.py": CONSTRAINTS,
    "annotation/test_submit_annotation.py": CONSTRAINTS,
    "annotation/test_mailing.py": LOCKS,
    "annotation/test_practice.py": CONSTRAINTS,
    "review/test_response_comments.py": CONSTRAINTS,
    "annotation/test_quoting.py": CONSTRAINTS,
    "annotation/test_suggested_edits.py": CONSTRAINTS,
    "core/test_api.py": CONSTRAINTS,
    "core/test_api_parameters.py": COUNTS,
    "core/test_composed_names.py": TEXT,
    "core/test_form_fields.py": TEXT,
    "core/test_frozen_rows.py": CONSTRAINTS,
    "core/test_log_chain.py": CONSTRAINTS,
    "core/test_approvals.py": CONSTRAINTS,
    "core/test_invitations.py": CONSTRAINTS,
    "core/test_leaving.py": DOORS,
    "core/test_reads.py": LOCKS,
    "core/test_repeating.py": LOCKS,
    "core/test_background_work.py": LOCKS,
    "core/test_log_lines.py": CONSTRAINTS,
    "core/test_metrics.py": COUNTS,
    "core/test_doctor.py": DOORS,
    "core/test_outages.py": CONSTRAINTS,
    "core/test_people.py": CONSTRAINTS,
    "judging/test_cached_tokens.py": CONSTRAINTS,
    "judging/test_frozen_calls.py": CONSTRAINTS,
    "judging/test_answer_parts.py": CONSTRAINTS,
    "judging/test_logprobs.py": CONSTRAINTS,
    "judging/test_making.py": CONSTRAINTS,
    "contradoc/test_tasks.py": CONSTRAINTS,
    "judging/test_json_verdicts.py": CONSTRAINTS,
    "contradoc/test_import_documents.py": TEXT,
    "conflictbank/test_import_facts.py": CONSTRAINTS,
    "conflictbank/test_make_claims.py": CONSTRAINTS,
    "conflictbank/test_evidence.py": CONSTRAINTS,
    "conflictbank/test_local_components.py": CONSTRAINTS,
    "conflictbank/test_people.py": COUNTS,
    "contradoc/test_generation.py": CONSTRAINTS,
    "contradoc/test_run_checks.py": CONSTRAINTS,
    "wikicontradict/test_resolved_passages_pages.py": CONSTRAINTS,
    "review/test_adjudication.py": CONSTRAINTS,
    "review/test_blindness.py": CONSTRAINTS,
    "review/test_consensus.py": CONSTRAINTS,
    "contradoc/test_verification.py": CONSTRAINTS,
    "review/test_hidden_judgments.py": CONSTRAINTS,
    "review/test_seen_judgments.py": CONSTRAINTS,
    "costs/test_api_costs.py": COUNTS,
    "costs/test_list_costs.py": COUNTS,
    "annotation/test_queue_plan.py": COUNTS,
    "annotation/test_work_sums.py": COUNTS,
    "annotation/test_hard_queues.py": COUNTS,
    "core/test_check_sums.py": COUNTS,
    "core/test_kept_sums.py": COUNTS,
    "core/test_prepared_queries.py": COUNTS,
    "annotation/test_table1_report.py": COUNTS,
    "annotation/test_tag_history.py": COUNTS,
    "annotation/test_tag_list.py": COUNTS,
    "annotation/test_undo_changes.py": CONSTRAINTS,
    "annotation/test_workload.py": CONSTRAINTS,
    "judging/test_limits_and_costs.py": COUNTS,
    "judging/test_plan.py": COUNTS,
    "judging/test_response_pages.py": COUNTS,
    "judging/test_run_pages.py": COUNTS,
    "judging/test_run_sums.py": COUNTS,
    "review/test_adjudications_counted.py": COUNTS,
    "review/test_agreement_report.py": COUNTS,
    "review/test_annotators_report.py": COUNTS,
    "review/test_deal_round.py": COUNTS,
    "wikicontradict/test_judge_tables.py": COUNTS,
    "review/test_order.py": COUNTS,
    "review/test_reports.py": COUNTS,
    "wikicontradict/test_table2.py": COUNTS,
    "core/test_outside.py": TEXT,
    "doors/test_fuzz.py": TEXT,
    "contradoc/test_reports.py": COUNTS,
    "contradoc/test_documents_of_one_source.py": COUNTS,
    "contradoc/test_files.py": DOORS,
    "conflictbank/test_item_files.py": DOORS,
    "conflictbank/test_answers.py": COUNTS,
    "conflictbank/test_item_tasks.py": COUNTS,
    "conflictbank/test_item_reports.py": COUNTS,
    "conflictbank/test_item_folders.py": DOORS,
    "conflictbank/test_release_conflicts.py": COUNTS,
    "conflictbank/test_making_pages.py": CONSTRAINTS,
    "conflictbank/test_bad_input.py": TEXT,
    "conflictbank/test_finding.py": COUNTS,
    "annotation/test_export_annotations.py": DOORS,
    "annotation/test_harvest_pages.py": DOORS,
    "annotation/test_import_annotations.py": DOORS,
    "annotation/test_item_files.py": TEXT,
    "annotation/test_label_studio.py": DOORS,
    "annotation/test_label_studio_nobody.py": DOORS,
    "annotation/test_make_release_command.py": DOORS,
    "annotation/test_released_sample.py": DOORS,
    "config/test_prepare.py": DOORS,
    "config/test_settings.py": DOORS,
    "core/test_access.py": DOORS,
    "core/test_sign_in.py": DOORS,
    "judging/test_first_start.py": DOORS,
    "judging/test_import_responses.py": DOORS,
    "judging/test_question_numbers.py": DOORS,
    "judging/test_run_commands.py": DOORS,
    "judging/test_verdict_readers.py": DOORS,
    "review/test_huggingface.py": DOORS,
    "wikicontradict/test_human_evaluation.py": DOORS,
    "review/test_judging_page.py": DOORS,
    "review/test_judgment_files.py": DOORS,
    "review/test_round_commands.py": DOORS,
    "core/test_api_files.py": DOORS,
    "review/test_site.py": DOORS,
    "review/test_site_marks.py": DOORS,
    "upgrades/test_upgrades.py": DOORS,
}

# Of these files, only some tests.
ONLY = {
    "review/test_site.py": {"test_admins_download_the_same_as_a_zip_file"},
    # The Hub's programs read the same files on any database.
    "review/test_huggingface.py": {
        "test_it_has_finished_rounds_and_nothing_of_unfinished_ones",
        "test_a_round_that_is_reopened_or_being_dealt_takes_its_runs_out",
        "test_the_sample_is_the_same_in_parquet",
    },
    # Requests that read the row in the address: others are refused before that.
    "core/test_access.py": {
        "test_who_has_the_role_gets_in",
        "test_a_row_that_is_not_there_is_not_found",
        "test_the_work_of_another_annotator_is_not_found",
    },
}


def may_run_on_postgresql(file: Path) -> bool:
    """Return whether a file can have tests of the second run, as its text tells; that run reads no other."""
    if HERE / "browser" in file.parents:
        return False
    return name_of(file) in ON_POSTGRESQL or "transaction" in file.read_text()


def runs_on_postgresql(item: pytest.Item) -> bool:
    """Return whether this test belongs to the second run."""
    file = name_of(item.path)
    if file.startswith("browser/") or "mediawiki_server" in getattr(item, "fixturenames", ()):
        return False
    return is_listed(file, item) or needs_transactions(item)


@cache  # asked for each test
def name_of(file: Path) -> str:
    """The name of a file in these lists: its app and its own name, in whichever subfolder it lies."""
    folders = file.relative_to(HERE).parts[:-1]
    return "/".join([*folders[:1], file.name])


def files_by_name() -> dict[str, Path]:
    return {name_of(path): path for path in HERE.rglob("test_*.py")}


def is_listed(file: str, item: pytest.Item) -> bool:
    chosen = file in ON_POSTGRESQL and (file not in ONLY or getattr(item, "originalname", None) in ONLY[file])
    return chosen and asks_for_the_database(item)


def asks_for_the_database(item: pytest.Item) -> bool:
    """Return whether this test has one; what a rule or a reader says of plain values is the same beside any."""
    is_given = {"db", "module_transaction"} & set(getattr(item, "fixturenames", ()))
    return bool(is_given) or item.get_closest_marker("django_db") is not None


def needs_transactions(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    asked_for = bool(marker and (marker.kwargs.get("transaction") or any(marker.args)))
    return asked_for or "transactional_db" in getattr(item, "fixturenames", ())
