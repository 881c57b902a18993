"""Which tests run a second time, on PostgreSQL with Redis, and why. All others say the same on any database.

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
    "annotation/test_harvest.py": LOCKS,
    "annotation/test_harvest_worker.py": LOCKS,
    "annotation/test_release_freezes.py": LOCKS,
    "annotation/test_merging.py": CONSTRAINTS,
    "annotation/test_merging_schedules.py": CONSTRAINTS,
    "annotation/test_save_draft.py": LOCKS,
    "annotation/test_turns.py": LOCKS,
    "core/test_people_at_once.py": LOCKS,
    "core/test_written_together.py": LOCKS,
    "core/test_webhooks.py": LOCKS,
    "judging/test_claims.py": LOCKS,
    "judging/test_landing.py": LOCKS,
    "judging/test_model_suggestions.py": LOCKS,
    "judging/test_responses_in_pieces.py": LOCKS,
    "judging/test_run_engine.py": LOCKS,
    "judging/test_start_in_pieces.py": LOCKS,
    "judging/test_suggestion_calls.py": LOCKS,
    "review/test_evaluation_in_pieces.py": LOCKS,
    "review/test_judgments_in_pieces.py": LOCKS,
    "review/test_review_at_once.py": LOCKS,
    "review/test_review_schedules.py": LOCKS,
    "review/test_rounds_in_pieces.py": LOCKS,
    "annotation/test_comments.py": CONSTRAINTS,
    "annotation/test_drafts_and_rows.py": CONSTRAINTS,
    "annotation/test_kinds.py": CONSTRAINTS,
    "annotation/test_watch_on_desk.py": CONSTRAINTS,
    "annotation/test_submit_annotation.py": CONSTRAINTS,
    "annotation/test_mailing.py": LOCKS,
    "annotation/test_practice.py": CONSTRAINTS,
    "review/test_response_comments.py": CONSTRAINTS,
    "annotation/test_quoting.py": CONSTRAINTS,
    "annotation/test_suggested_edits.py": CONSTRAINTS,
    "core/test_api.py": CONSTRAINTS,
    "core/test_frozen_rows.py": CONSTRAINTS,
    "core/test_invitations.py": CONSTRAINTS,
    "core/test_people.py": CONSTRAINTS,
    "judging/test_cached_tokens.py": CONSTRAINTS,
    "judging/test_frozen_calls.py": CONSTRAINTS,
    "judging/test_contradoc_tasks.py": CONSTRAINTS,
    "judging/test_json_verdicts.py": CONSTRAINTS,
    "judging/test_import_documents.py": TEXT,
    "judging/test_generation.py": CONSTRAINTS,
    "judging/test_run_checks.py": CONSTRAINTS,
    "judging/test_resolved_passages_pages.py": CONSTRAINTS,
    "review/test_adjudication.py": CONSTRAINTS,
    "review/test_blindness.py": CONSTRAINTS,
    "review/test_consensus.py": CONSTRAINTS,
    "review/test_contradoc_verification.py": CONSTRAINTS,
    "review/test_hidden_judgments.py": CONSTRAINTS,
    "review/test_seen_judgments.py": CONSTRAINTS,
    "test_api_costs.py": COUNTS,
    "test_list_costs.py": COUNTS,
    "annotation/test_queue_plan.py": COUNTS,
    "annotation/test_work_sums.py": COUNTS,
    "annotation/test_hard_queues.py": COUNTS,
    "core/test_kept_sums.py": COUNTS,
    "core/test_prepared_queries.py": COUNTS,
    "annotation/test_table1_report.py": COUNTS,
    "annotation/test_tag_history.py": COUNTS,
    "annotation/test_tag_list.py": COUNTS,
    "judging/test_limits_and_costs.py": COUNTS,
    "judging/test_plan.py": COUNTS,
    "judging/test_response_pages.py": COUNTS,
    "judging/test_run_pages.py": COUNTS,
    "judging/test_run_sums.py": COUNTS,
    "review/test_adjudication_sums.py": COUNTS,
    "review/test_agreement_report.py": COUNTS,
    "review/test_annotators_report.py": COUNTS,
    "review/test_deal_round.py": COUNTS,
    "review/test_judge_tables.py": COUNTS,
    "review/test_order.py": COUNTS,
    "review/test_reports.py": COUNTS,
    "review/test_table2.py": COUNTS,
    "core/test_outside.py": TEXT,
    "test_fuzz.py": TEXT,
    "review/test_contradoc_reports.py": COUNTS,
    "review/test_documents_of_one_source.py": COUNTS,
    "annotation/test_contradoc_files.py": DOORS,
    "annotation/test_export_annotations.py": DOORS,
    "annotation/test_harvest_pages.py": DOORS,
    "annotation/test_import_annotations.py": DOORS,
    "annotation/test_label_studio.py": DOORS,
    "annotation/test_make_release_command.py": DOORS,
    "annotation/test_released_sample.py": DOORS,
    "config/test_prepare.py": DOORS,
    "core/test_access.py": DOORS,
    "core/test_sign_in.py": DOORS,
    "judging/test_first_start.py": DOORS,
    "judging/test_import_responses.py": DOORS,
    "judging/test_run_commands.py": DOORS,
    "judging/test_verdict_readers.py": DOORS,
    "review/test_huggingface.py": DOORS,
    "review/test_human_evaluation.py": DOORS,
    "review/test_judging_page.py": DOORS,
    "review/test_judgment_files.py": DOORS,
    "review/test_round_commands.py": DOORS,
    "core/test_api_files.py": DOORS,
    "core/test_schemathesis.py": DOORS,
    "review/test_site.py": DOORS,
}

# Of these files, only the tests with a statement that no other test of this run sends in that form, and all in which
# the database refuses. The others read files, follow rules or show pages, with what is sent here anyway.
ONLY = {
    "annotation/test_drafts_and_rows.py": {
        "test_a_save_while_a_reviewer_decides_changes_nothing_that_was_decided",
        "test_a_second_submission_keeps_the_rows_that_others_name",
        "test_how_it_was_made_is_told_of_the_draft",
        "test_the_same_operation_twice_in_one_instant_is_one_save",
        "test_the_save_that_is_the_draft_cannot_be_deleted",
        "test_two_tabs_that_read_the_same_version_do_not_overwrite_each_other",
        "test_what_cannot_be_handed_in_is_saved_all_the_same",
        "test_what_is_handed_in_cannot_have_a_draft",
    },
    "annotation/test_watch_on_desk.py": {
        "test_a_look_whose_message_was_lost_is_taken_up_by_the_clock",
        "test_looking_again_asks_a_worker_and_waits_for_what_it_finds",
    },
    "annotation/test_submit_annotation.py": {
        "test_a_second_click_gets_the_answer_of_the_first",
        "test_one_annotation_of_a_tag_is_accepted",
    },
    "annotation/test_practice.py": {
        "test_a_newcomer_gets_no_tag_before_the_practice_run_is_finished",
        "test_a_passage_is_taken_from_the_article_and_put_back",
        "test_a_second_click_goes_on_with_the_same_attempt",
        "test_an_admin_says_in_which_order_people_practise",
        "test_an_admin_sees_how_each_person_did",
        "test_an_annotation_is_not_chosen_while_another_of_its_tag_is_to_come",
        "test_begin_finish_and_choice_are_in_the_log",
        "test_no_more_time_is_kept_than_has_passed",
        "test_nothing_is_required_where_no_tag_is_offered",
        "test_the_database_refuses_attempts_that_cannot_be",
        "test_the_time_on_each_step_is_kept_also_what_arrives_last_and_admins_see_it",
        "test_what_ships_is_there_once_and_keeps_what_an_admin_changed",
        "test_whoever_practises_on_it_is_never_given_its_tag",
    },
    "annotation/test_quoting.py": {
        "test_the_database_refuses_half_a_quote",
        "test_words_that_cannot_be_quoted_are_refused_and_what_was_typed_comes_back",
    },
    "annotation/test_suggested_edits.py": {
        "test_it_is_withdrawn_by_its_reviewer_alone",
        "test_suggesting_again_replaces_ones_own_and_leaves_the_others",
        "test_the_database_holds_one_open_suggestion_of_a_reviewer_for_a_field",
        "test_the_database_refuses_what_is_no_suggestion",
        "test_who_annotates_the_same_tag_neither_reads_nor_suggests",
        "test_without_script_a_button_takes_it_through_the_ordinary_save",
        "test_without_script_a_stale_page_takes_nothing",
    },
    "judging/test_cached_tokens.py": {
        "test_cached_tokens_cost_no_more_than_others",
    },
    "judging/test_contradoc_tasks.py": {
        "test_a_new_version_of_a_reader_reads_stored_replies_and_counts",
        "test_a_program_sends_replies",
        "test_a_run_offers_templates_of_its_benchmark_only",
        "test_reading_again_asks_bertscore_where_it_is_configured_and_says_so",
        "test_replies_become_responses_with_their_readings",
        "test_templates_and_floors_come_with_the_first_release_of_their_benchmark",
        "test_the_database_keeps_templates_to_one_task_and_one_benchmark",
        "test_the_database_refuses_a_reading_that_says_two_things",
        "test_the_floors_answer_without_a_model_and_are_read_and_scored",
        "test_the_page_of_a_response_shows_the_reading_and_the_quotes_beside_the_evidence",
        "test_the_text_of_a_document_is_never_expanded",
        "test_the_wordings_are_those_of_paper_and_code",
    },
    "judging/test_run_checks.py": {
        "test_a_candidate_that_fails_is_out_and_the_least_rise_is_chosen",
        "test_a_check_that_was_not_made_has_no_value",
        "test_a_document_of_one_sentence_has_no_neighbours_to_check",
        "test_a_local_model_that_fails_over_a_text_is_not_checked",
        "test_a_window_is_the_same_stretch_of_both_texts",
        "test_another_threshold_decides_again_without_a_call",
        "test_local_models_measure_what_waits_for_them",
        "test_no_label_is_not_checked_and_never_passed_and_can_be_asked_again",
        "test_people_s_decisions_stand",
        "test_what_was_not_checked_can_be_checked_later",
        "test_without_components_nothing_is_checked_and_the_first_goes_on_to_people",
    },
    "review/test_adjudication.py": {
        "test_a_reset_judgment_is_judged_anew_and_the_pair_falls_apart",
        "test_adjudicated_with_a_key_and_a_reason_the_next_one_comes",
        "test_cannot_judge_goes_to_the_adjudicator",
        "test_closing_makes_what_was_judged_count_at_once",
        "test_setting_an_instance_aside_takes_its_disagreements_off_the_queue_and_can_be_undone",
        "test_the_database_refuses_to_change_a_pair_or_a_final_verdict",
        "test_the_database_takes_no_third_slot_and_nobody_twice",
        "test_the_order_of_the_two_is_by_chance_and_stays",
        "test_the_page_shows_both_without_names_and_without_the_model",
        "test_where_the_round_says_so_the_two_adjudicate",
        "test_where_the_two_have_seen_each_other_a_reset_goes_to_a_third",
        "test_who_judged_is_kept_out",
    },
    "review/test_consensus.py": {
        "test_of_five_two_leave_and_three_judgments_decide",
        "test_the_projects_rule_is_what_a_new_round_is_offered",
        "test_the_rule_never_changes_once_the_round_has_begun",
        "test_three_judgments_each_are_imported_in_any_order_twice_and_come_out_again",
        "test_three_people_judge_and_the_rule_of_the_round_decides",
    },
    "review/test_contradoc_verification.py": {
        "test_a_judgment_has_a_verdict_or_answers_or_a_reason",
        "test_a_person_who_could_not_judge_leaves_it_to_the_expert",
        "test_a_round_is_begun_by_command",
        "test_all_pages_of_a_round_open",
        "test_an_expert_decides_where_they_differ_or_one_marked_it",
        "test_an_item_has_one_subject",
        "test_another_gap_makes_a_further_candidate_that_others_verify",
        "test_answers_go_in_through_the_page_and_can_be_taken_back",
        "test_making_it_again_gives_the_same_release_and_clean_documents_make_another",
        "test_programs_verify_and_decide",
        "test_resetting_a_judgment_takes_back_what_followed",
        "test_the_form_of_a_round_and_final_answers_never_change",
        "test_verified_candidates_become_a_release",
    },
    "review/test_hidden_judgments.py": {
        "test_a_comment_on_what_was_reset_does_not_go_to_the_next_reviewer",
        "test_a_file_that_is_refused_at_the_last_moment_was_brought_all_the_same",
        "test_a_round_is_hidden_from_the_first_moment_to_the_last",
        "test_why_a_question_was_set_aside_is_hidden_like_the_judgments",
    },
    "review/test_seen_judgments.py": {
        "test_a_report_counts_as_seen_when_what_it_counted_is_judged_anew",
        "test_a_reviewer_who_has_read_a_final_verdict_is_not_asked_anew",
        "test_an_admin_who_judges_cannot_close_read_and_open_again",
        "test_an_export_is_noted_by_one_row_a_round",
        "test_one_s_own_judgment_is_nothing_seen",
        "test_the_database_wants_a_round_or_a_response",
        "test_what_is_seen_in_the_instant_of_opening_again_goes_to_others",
        "test_what_is_seen_while_responses_are_handed_over_stays",
        "test_what_one_has_seen_goes_to_the_other_of_two",
        "test_what_was_seen_stays_seen_when_the_response_goes_into_another_round",
        "test_who_brings_a_file_with_both_judgments_may_be_one_of_the_two",
        "test_who_has_not_read_goes_on_where_they_stopped",
        "test_who_has_seen_takes_over_only_the_rest",
        "test_who_joins_while_a_page_is_made_that_shows_judgments_hands_those_back",
    },
    "annotation/test_contradoc_files.py": {
        "test_a_second_import_changes_nothing_and_says_which_release_it_is",
        "test_the_sample_comes_out_equal",
        "test_what_came_in_comes_out_equal_and_in_order",
    },
    "annotation/test_export_annotations.py": {
        "test_a_row_is_a_question_with_its_context_and_answers",
        "test_no_cell_is_a_formula_to_a_spreadsheet",
        "test_what_was_edited_after_the_import_is_exported_as_it_is_now",
    },
    "annotation/test_harvest_pages.py": {
        "test_a_finished_harvest_does_not_ask_again",
        "test_a_wiki_is_allowed_once_it_has_told_its_name",
        "test_an_error_says_what_is_safe_and_offers_to_resume",
        "test_an_uploaded_file_is_kept_until_it_is_read",
        "test_asking_for_titles_starts_a_harvest",
        "test_one_that_waits_for_its_wiki_says_so",
        "test_what_is_no_wiki_is_not_added",
        "test_without_a_contact_the_command_asks_nothing",
    },
    "annotation/test_import_annotations.py": {
        "test_a_check_writes_nothing",
        "test_a_hint_text_of_the_form_is_no_answer",
        "test_an_imported_annotation_takes_a_harvested_tag_that_nobody_has_touched",
        "test_imported_annotations_are_accepted_and_ask_nobody_for_work",
        "test_one_that_is_interrupted_leaves_nothing_half_and_can_be_repeated",
        "test_two_tags_quite_alike_are_two",
    },
    "annotation/test_label_studio.py": {
        "test_a_harvested_tag_takes_the_work_into_its_free_assignments",
        "test_a_row_of_json_min_is_one_persons_work",
        "test_annotations_are_peoples_work_that_waits_for_review",
        "test_everything_goes_to_label_studio_and_comes_back",
        "test_ground_truth_counts_as_accepted_only_if_one_says_so",
        "test_imported_annotations_become_one_and_stay_what_they_were",
        "test_on_the_page_one_can_check_before_importing",
        "test_strangers_are_named_and_kept_out",
    },
    "config/test_prepare.py": {
        "test_a_first_start_brings_people_and_tags",
    },
    "core/test_access.py": {  # each address once; the other roles are refused before a row is read
        "test_who_has_the_role_gets_in",
    },
    "core/test_sign_in.py": {
        "test_a_mail_server_that_is_away_does_not_tell_who_has_an_account",
        "test_guessing_cannot_fill_the_log",
        "test_with_mail_a_forgotten_password_is_chosen_anew",
    },
    "judging/test_first_start.py": {
        "test_a_project_that_has_work_of_its_own_is_left_alone",
        "test_the_samples_are_annotated_released_answered_and_judged",
    },
    "judging/test_import_responses.py": {
        "test_a_reply_that_was_cut_is_marked_when_it_says_so",
        "test_a_response_that_says_something_else_than_the_stored_one_is_refused",
        "test_instances_are_found_by_number_by_content_or_made",
        "test_judgments_can_be_exported",
        "test_what_was_exported_comes_back_unchanged_elsewhere_and_only_once",
    },
    "judging/test_run_commands.py": {
        "test_a_wrong_word_is_refused_and_nothing_is_left_behind",
        "test_one_group_of_failures_is_tried_again_alone",
        "test_the_plan_comes_first_and_nothing_happens_without_a_yes",
        "test_without_runs_the_status_says_how_to_get_one",
    },
    "judging/test_verdict_readers.py": {
        "test_the_reader_is_chosen_with_the_run_and_kept_with_each_judgment",
    },
    "review/test_huggingface.py": {
        "test_a_round_that_is_reopened_or_being_dealt_takes_its_runs_out",
        "test_it_has_finished_rounds_and_nothing_of_unfinished_ones",
    },
    "review/test_human_evaluation.py": {
        "test_a_dry_run_writes_nothing",
        "test_answers_become_responses_with_final_verdicts",
        "test_importing_twice_changes_nothing",
        "test_the_same_question_twice_of_one_model_is_two_responses",
        "test_what_cannot_be_fitted_is_kept_and_exported_again_to_the_byte",
        "test_what_was_judged_here_is_exported_in_the_same_shape",
    },
    "review/test_judging_page.py": {
        "test_a_judgment_is_taken_back_and_comes_first_again",
        "test_a_lapsed_response_that_nobody_took_is_still_ones_own",
        "test_a_response_left_open_goes_to_who_has_finished_and_nobody_gets_both",
        "test_a_training_item_is_explained_after_it_was_judged",
        "test_another_reviewers_slot_is_not_found",
        "test_handing_in_ends_the_time_at_once",
        "test_when_the_time_is_over_it_stays",
    },
    "review/test_judgment_files.py": {
        "test_a_dry_run_of_a_good_file_writes_nothing",
        "test_a_response_that_a_reviewer_has_open_is_left_to_them",
        "test_an_export_comes_back_in_as_it_went_out",
        "test_final_verdicts_say_how_they_came",
        "test_judgments_made_elsewhere_become_pairs_and_verdicts",
        "test_reviewers_have_pseudonyms_by_release",
        "test_the_second_judgment_may_come_in_another_file",
        "test_training_and_check_items_come_from_a_file",
        "test_with_skip_bad_the_good_rows_come_in",
    },
    "core/test_api_files.py": {
        "test_annotations_come_from_a_file",
        "test_a_list_can_be_read_the_other_way_round",
        "test_a_model_is_changed_and_a_template_gets_its_next_version",
        "test_a_request_that_died_without_an_answer_can_be_made_once_more",
    },
}


def may_run_on_postgresql(file: Path) -> bool:
    """Whether a file can have tests of the second run, as its text tells; that run reads no other."""
    if HERE / "browser" in file.parents:
        return False
    return file.relative_to(HERE).as_posix() in ON_POSTGRESQL or "transaction" in file.read_text()


def runs_on_postgresql(item: pytest.Item) -> bool:
    """Whether this test belongs to the second run."""
    file = name_of(item.path)
    if file.startswith("browser/") or "mediawiki_server" in getattr(item, "fixturenames", ()):
        return False
    return is_listed(file, item) or needs_transactions(item)


@cache  # asked for each test
def name_of(file: Path) -> str:
    return file.relative_to(HERE).as_posix()


def is_listed(file: str, item: pytest.Item) -> bool:
    chosen = file in ON_POSTGRESQL and (file not in ONLY or getattr(item, "originalname", None) in ONLY[file])
    return chosen and asks_for_the_database(item)


def asks_for_the_database(item: pytest.Item) -> bool:
    """Whether this test has one; what a rule or a reader says of plain values is the same beside any."""
    is_given = {"db", "module_transaction"} & set(getattr(item, "fixturenames", ()))
    return bool(is_given) or item.get_closest_marker("django_db") is not None


def needs_transactions(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    asked_for = bool(marker and (marker.kwargs.get("transaction") or any(marker.args)))
    return asked_for or "transactional_db" in getattr(item, "fixturenames", ())
