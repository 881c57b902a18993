from django.urls import path

from .views import adjudicate, disagreements, files, judge, planner, quality, reports, rounds, site

urlpatterns = [
    # Judging. An address of a judgment belongs to one person, and reveals nothing about the other one.
    path("judge/", judge.judge, name="judge"),
    path("judge/<uuid:key>/", judge.judge_round, name="judge_round"),
    path("judge/<uuid:key>/mine/", judge.my_judgments, name="my_judgments"),
    # The address that people know.
    path("judge/<uuid:key>/hand-in/", judge.judge_submit, name="judge_submit"),
    path("judge/<uuid:key>/skip-training/", judge.judge_skip_training, name="judge_skip_training"),
    path("judgments/<uuid:key>/", judge.judgment, name="judgment"),
    path("judgments/<uuid:key>/take-back/", judge.judgment_take_back, name="judgment_take_back"),
    # Adjudicating
    path("adjudicate/", adjudicate.adjudicate, name="adjudicate"),
    path("adjudicate/<uuid:key>/", adjudicate.adjudicate_item, name="adjudicate_item"),
    path("adjudicate/<uuid:key>/reopen/", adjudicate.adjudicate_reopen, name="adjudicate_reopen"),
    path("adjudicate/<uuid:key>/set-aside/", adjudicate.adjudicate_set_aside, name="adjudicate_set_aside"),
    path("set-aside/", adjudicate.set_aside_list, name="set_aside"),
    path("set-aside/new/", adjudicate.take_down, name="take_down"),
    path("set-aside/<row:pk>/take-back/", adjudicate.set_aside_take_back, name="set_aside_take_back"),
    # Rounds and reviewers
    path("rounds/", rounds.rounds, name="rounds"),
    path("rounds/new/", rounds.round_new, name="round_new"),
    path("rounds/new/<slug:code>/", rounds.round_new_of, name="round_new_of"),
    path("rounds/planner/", planner.round_planner, name="round_planner"),
    path("rounds/preview/", rounds.round_preview, name="round_preview"),
    path("rounds/preview/<slug:code>/", rounds.round_preview_of, name="round_preview_of"),
    path("rounds/<row:pk>/", rounds.round_page, name="round"),
    path("rounds/<row:pk>/left-out/", rounds.round_left_out, name="round_left_out"),
    path("rounds/<row:pk>/deadline/", rounds.round_deadline, name="round_deadline"),
    path("rounds/<row:pk>/close/", rounds.round_close, name="round_close"),
    path("rounds/<row:pk>/release/", rounds.round_release, name="round_release"),
    path("rounds/<row:pk>/reopen/", rounds.round_reopen, name="round_reopen"),
    path("rounds/<row:pk>/reviewers/add/", rounds.round_add_reviewer, name="round_add_reviewer"),
    path("rounds/<row:pk>/reviewers/<row:person>/", rounds.round_reviewer, name="round_reviewer"),
    path("rounds/<row:pk>/reviewers/<row:person>/pause/", rounds.reviewer_pause, name="reviewer_pause"),
    path("rounds/<row:pk>/reviewers/<row:person>/resume/", rounds.reviewer_resume, name="reviewer_resume"),
    path("rounds/<row:pk>/reviewers/<row:person>/hand-over/", rounds.reviewer_hand_over, name="reviewer_hand_over"),
    path("rounds/<row:pk>/reviewers/<row:person>/withdraw/", rounds.reviewer_withdraw, name="reviewer_withdraw"),
    path(
        "rounds/<row:pk>/reviewers/<row:person>/reset/<row:judgment>/", rounds.reviewer_reset, name="reviewer_reset"
    ),
    # Files and known verdicts
    path("files/", files.judgment_files, name="judgment_files"),
    path("files/<slug:what>.<slug:kind>", files.judgment_export, name="judgment_export"),
    path("known/", files.known, name="known"),
    path("known/<row:pk>/withdraw/", files.known_withdraw, name="known_withdraw"),
    # Disagreements of annotators
    path("annotations/disagreements/", disagreements.disagreements, name="annotator_disagreements"),
    path("annotations/disagreements/csv/", disagreements.download, name="annotator_disagreements_download"),
    # The quality of a person's work
    path("people/<row:pk>/quality/", quality.quality, name="person_quality"),
    path(
        "people/<row:pk>/quality/plots/<row:number>.<slug:kind>", quality.plot_picture, name="person_quality_picture"
    ),
    path("people/<row:pk>/quality/<slug:kind>/", quality.download, name="person_quality_download"),
    # Reports, and the responses behind their numbers
    path("reports/", reports.reports, name="reports"),
    path("reports/responses/", reports.responses, name="report_responses"),
    path("reports/<slug:name>/", reports.report, name="report"),
    path("reports/<slug:name>/glance/", reports.glance, name="report_glance"),
    path("sites/<row:number>.zip", site.download_site, name="release_site"),
    path("reports/<slug:name>/plots/<row:number>.<slug:kind>", reports.plot_picture, name="report_picture"),
    path("reports/<slug:name>/download/<slug:kind>/", reports.download, name="report_download"),
]
