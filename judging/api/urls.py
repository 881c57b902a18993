from django.urls import path

from . import calls, comments, views

urlpatterns = [
    path("models/", views.Models.as_view(), name="models"),
    path("models/<row:pk>/", views.OneModel.as_view(), name="model"),
    path("models/<row:pk>/offer/", views.ModelOffer.as_view(), name="model_offer"),
    path("templates/", views.Templates.as_view(), name="templates"),
    path("runs/", views.Runs.as_view(), name="runs"),
    path("runs/change/", views.RunsChange.as_view(), name="runs_change"),
    path("judge-runs/", views.JudgeRuns.as_view(), name="judge_runs"),
    path("runs/<row:pk>/", views.OneRun.as_view(), name="run"),
    path("runs/<row:pk>/start/", views.RunStart.as_view(), name="run_start"),
    path("runs/<row:pk>/pause/", views.RunPause.as_view(), name="run_pause"),
    path("runs/<row:pk>/resume/", views.RunResume.as_view(), name="run_resume"),
    path("runs/<row:pk>/cancel/", views.RunCancel.as_view(), name="run_cancel"),
    path("runs/<row:pk>/budget/", views.RunBudget.as_view(), name="run_budget"),
    path("runs/<row:pk>/judgments/", views.RunJudgments.as_view(), name="run_judgments"),
    path("runs/<row:pk>/calls/", calls.Calls.as_view(), name="run_calls"),
    path("runs/<row:pk>/retry/", calls.RunRetry.as_view(), name="run_retry"),
    path("runs/<row:pk>/repeat/", calls.RunRepeat.as_view(), name="run_repeat"),
    path("runs/<row:pk>/give-up/", calls.RunGiveUp.as_view(), name="run_give_up"),
    path("runs/<row:pk>/ask-again/", calls.RunAskAgain.as_view(), name="run_ask_again"),
    path("imports/responses/", calls.ImportResponses.as_view(), name="import_responses"),
    path("imports/replies/", calls.ImportReplies.as_view(), name="import_replies"),
    path("responses/", views.Responses.as_view(), name="responses"),
    path("responses/<uuid:key>/comments/", comments.ResponseComments.as_view(), name="response_comments"),
    path("responses/<uuid:key>/", views.OneResponse.as_view(), name="response"),
]
