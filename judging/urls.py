from django.urls import path

from .views import comments, files, models, responses, runs, templates

urlpatterns = [
    # Runs
    path("runs/", runs.runs, name="runs"),
    path("runs/change/", runs.runs_change, name="runs_change"),
    path("runs/new/", runs.run_new, name="run_new"),
    path("runs/new/judge/", runs.judge_run_new, name="judge_run_new"),
    path("runs/<row:pk>/", runs.run, name="run"),
    path("runs/<row:pk>/calls/", runs.run_calls, name="run_calls"),
    path("runs/<row:pk>/judgments/", responses.judgments, name="run_judgments"),
    path("runs/<row:pk>/judgments/export/<slug:kind>/", files.judgments_export, name="run_judgments_export"),
    path("runs/<row:pk>/start/", runs.run_start, name="run_start"),
    path("runs/<row:pk>/pause/", runs.run_pause, name="run_pause"),
    path("runs/<row:pk>/resume/", runs.run_resume, name="run_resume"),
    path("runs/<row:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<row:pk>/budget/", runs.run_budget, name="run_budget"),
    path("runs/<row:pk>/retry/", runs.run_retry, name="run_retry"),
    path("runs/<row:pk>/repeat/", runs.run_repeat, name="run_repeat"),
    path("runs/<row:pk>/give-up/", runs.run_give_up, name="run_give_up"),
    path("runs/<row:pk>/ask-again/", runs.run_ask_again, name="run_ask_again"),
    # Responses
    path("responses/", responses.responses, name="responses"),
    path("responses/<uuid:key>/comments/", comments.conversation, name="response_comments"),
    path("responses/<uuid:key>/comments/write/", comments.write, name="response_comment"),
    path("responses/<uuid:key>/", responses.response, name="response"),
    path("responses/import/", files.responses_import, name="responses_import"),
    path("responses/import/replies/", files.replies_import, name="replies_import"),
    path("responses/export/<slug:kind>/", files.responses_export, name="responses_export"),
    path("calls/<uuid:key>/", responses.call, name="call"),
    # Models and prompt templates
    path("models/", models.models, name="models"),
    path("models/new/", models.model_new, name="model_new"),
    path("models/<row:pk>/", models.model, name="model"),
    path("models/<row:pk>/edit/", models.model_edit, name="model_edit"),
    path("models/<row:pk>/lift-pause/", models.model_lift_pause, name="model_lift_pause"),
    path("models/<row:pk>/test/", models.model_test, name="model_test"),
    path("models/<row:pk>/offer/", models.model_offer, name="model_offer"),
    path("templates/", templates.templates, name="templates"),
    path("templates/new/", templates.template_new, name="template_new"),
    path("templates/preview/", templates.template_preview, name="template_preview"),
]
