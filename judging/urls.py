from django.urls import path

from .views import files, models, resolutions, responses, runs, templates

urlpatterns = [
    # Runs
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", runs.run_new, name="run_new"),
    path("runs/new/judge/", runs.judge_run_new, name="judge_run_new"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/calls/", runs.run_calls, name="run_calls"),
    path("runs/<int:pk>/judgments/", responses.judgments, name="run_judgments"),
    path("runs/<int:pk>/judgments/export/<slug:kind>/", files.judgments_export, name="run_judgments_export"),
    path("runs/<int:pk>/start/", runs.run_start, name="run_start"),
    path("runs/<int:pk>/pause/", runs.run_pause, name="run_pause"),
    path("runs/<int:pk>/resume/", runs.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/budget/", runs.run_budget, name="run_budget"),
    path("runs/<int:pk>/retry/", runs.run_retry, name="run_retry"),
    path("runs/<int:pk>/repeat/", runs.run_repeat, name="run_repeat"),
    path("runs/<int:pk>/give-up/", runs.run_give_up, name="run_give_up"),
    path("runs/<int:pk>/ask-again/", runs.run_ask_again, name="run_ask_again"),
    # Responses
    path("responses/", responses.responses, name="responses"),
    path("responses/<uuid:key>/", responses.response, name="response"),
    path("responses/import/", files.responses_import, name="responses_import"),
    path("responses/export/<slug:kind>/", files.responses_export, name="responses_export"),
    path("calls/<uuid:key>/", responses.call, name="call"),
    # Models and prompt templates
    path("models/", models.models, name="models"),
    path("models/new/", models.model_new, name="model_new"),
    path("models/<int:pk>/", models.model, name="model"),
    path("models/<int:pk>/edit/", models.model_edit, name="model_edit"),
    path("models/<int:pk>/test/", models.model_test, name="model_test"),
    path("models/<int:pk>/offer/", models.model_offer, name="model_offer"),
    path("templates/", templates.templates, name="templates"),
    path("templates/new/", templates.template_new, name="template_new"),
    path("templates/preview/", templates.template_preview, name="template_preview"),
    # Resolved passages
    path("resolved-passages/", resolutions.resolutions, name="resolutions"),
    path("resolved-passages/<int:pk>/", resolutions.resolution, name="resolution"),
]
