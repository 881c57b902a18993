from django.urls import path

from .views import files, judge, reports, rounds, settle

urlpatterns = [
    # Judging. An address of a judgment belongs to one person, and tells nothing of the other one.
    path("judge/", judge.judge, name="judge"),
    path("judge/<uuid:key>/", judge.judge_round, name="judge_round"),
    path("judge/<uuid:key>/mine/", judge.my_judgments, name="my_judgments"),
    path("judge/<uuid:key>/hand-in/", judge.judge_hand_in, name="judge_hand_in"),
    path("judge/<uuid:key>/skip-training/", judge.judge_skip_training, name="judge_skip_training"),
    path("judgments/<uuid:key>/", judge.judgment, name="judgment"),
    path("judgments/<uuid:key>/take-back/", judge.judgment_take_back, name="judgment_take_back"),
    # Settling
    path("settle/", settle.settle, name="settle"),
    path("settle/<uuid:key>/", settle.settle_item, name="settle_item"),
    path("settle/<uuid:key>/reopen/", settle.settle_reopen, name="settle_reopen"),
    path("settle/<uuid:key>/set-aside/", settle.settle_set_aside, name="settle_set_aside"),
    path("set-aside/", settle.set_aside_list, name="set_aside"),
    path("set-aside/<int:pk>/take-back/", settle.set_aside_take_back, name="set_aside_take_back"),
    # Rounds and reviewers
    path("rounds/", rounds.rounds, name="rounds"),
    path("rounds/new/", rounds.round_new, name="round_new"),
    path("rounds/preview/", rounds.round_preview, name="round_preview"),
    path("rounds/<int:pk>/", rounds.round_page, name="round"),
    path("rounds/<int:pk>/left-out/", rounds.round_left_out, name="round_left_out"),
    path("rounds/<int:pk>/close/", rounds.round_close, name="round_close"),
    path("rounds/<int:pk>/reopen/", rounds.round_reopen, name="round_reopen"),
    path("rounds/<int:pk>/reviewers/add/", rounds.round_add_reviewer, name="round_add_reviewer"),
    path("rounds/<int:pk>/reviewers/<int:person>/", rounds.round_reviewer, name="round_reviewer"),
    path("rounds/<int:pk>/reviewers/<int:person>/pause/", rounds.reviewer_pause, name="reviewer_pause"),
    path("rounds/<int:pk>/reviewers/<int:person>/resume/", rounds.reviewer_resume, name="reviewer_resume"),
    path("rounds/<int:pk>/reviewers/<int:person>/hand-over/", rounds.reviewer_hand_over, name="reviewer_hand_over"),
    path(
        "rounds/<int:pk>/reviewers/<int:person>/reset/<int:judgment>/", rounds.reviewer_reset, name="reviewer_reset"
    ),
    # Files and known verdicts
    path("files/", files.judgment_files, name="judgment_files"),
    path("files/<slug:what>.<slug:kind>", files.judgment_export, name="judgment_export"),
    path("known/", files.known, name="known"),
    path("known/<int:pk>/withdraw/", files.known_withdraw, name="known_withdraw"),
    # Reports, and the responses behind their numbers
    path("reports/", reports.reports, name="reports"),
    path("reports/responses/", reports.responses, name="report_responses"),
    path("reports/human-evaluation.json", reports.human_evaluation, name="human_evaluation_download"),
    path("reports/human-evaluation/", files.human_evaluation_import, name="human_evaluation_import"),
    path("reports/<slug:name>/", reports.report, name="report"),
    path("reports/<slug:name>/download/<slug:kind>/", reports.download, name="report_download"),
]
