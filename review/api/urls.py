from django.urls import path

from . import files, judging, rounds

urlpatterns = [
    # Judging
    path("judging/", judging.OwnRounds.as_view(), name="judging"),
    path("judging/<uuid:key>/next/", judging.NextResponse.as_view(), name="judging_next"),
    path("judging/<uuid:key>/mine/", judging.OwnJudgments.as_view(), name="judging_mine"),
    # The address that programs know.
    path("judging/<uuid:key>/hand-in/", judging.SubmitJudgments.as_view(), name="judging_submit"),
    path("judging/<uuid:key>/skip-training/", judging.SkipTraining.as_view(), name="judging_skip_training"),
    path("judgments/<uuid:key>/", judging.OneJudgment.as_view(), name="judgment"),
    path("judgments/<uuid:key>/take-back/", judging.JudgmentTakeBack.as_view(), name="judgment_take_back"),
    # Adjudicating
    path("adjudications/", judging.Adjudications.as_view(), name="adjudications"),
    path("adjudications/next/", judging.NextAdjudication.as_view(), name="adjudications_next"),
    path("adjudications/<uuid:key>/", judging.OneAdjudication.as_view(), name="adjudication"),
    path("adjudications/<uuid:key>/reopen/", judging.AdjudicationReopen.as_view(), name="adjudication_reopen"),
    # Files
    path("imports/judgments/", files.ImportJudgments.as_view(), name="import_judgments"),
    path("imports/known-verdicts/", files.ImportKnownVerdicts.as_view(), name="import_known_verdicts"),
    # Rounds and reports
    path("rounds/", rounds.Rounds.as_view(), name="rounds"),
    path("rounds/<row:pk>/", rounds.OneRound.as_view(), name="round"),
    path("rounds/<row:pk>/deadline/", rounds.RoundDeadline.as_view(), name="round_deadline"),
    path("rounds/<row:pk>/close/", rounds.RoundClose.as_view(), name="round_close"),
    path("rounds/<row:pk>/reopen/", rounds.RoundReopen.as_view(), name="round_reopen"),
    path("judgments/", rounds.Judgments.as_view(), name="judgments"),
    path("final-verdicts/", rounds.FinalVerdicts.as_view(), name="final_verdicts"),
    path("answers/", rounds.Answers.as_view(), name="answers"),
    path("final-answers/", rounds.FinalAnswers.as_view(), name="final_answers"),
    path("reports/", rounds.Reports.as_view(), name="reports"),
    path("people/<row:pk>/quality/", rounds.PersonQuality.as_view(), name="person_quality"),
    path("reports/<slug:name>/", rounds.OneReport.as_view(), name="report"),
]
