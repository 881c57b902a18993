"""Pages of facts, claims and evidence. Their addresses begin with `judging/`."""

from django.urls import path

from judging.views.making import checks, generation_new

from .items import CODE
from .views import classifiers, conflicts, making, settings

OF_OURS = {"benchmark": CODE}
urlpatterns = [
    path("facts/", conflicts.facts, name="facts"),
    path("facts/<uuid:key>/", conflicts.fact, name="fact"),
    path("facts/import/", making.facts_import, name="facts_import"),
    path("facts/names/", making.facts_names, name="facts_names"),
    path("facts/templates/", settings.relation_templates, name="relation_templates"),
    path("facts/templates/<row:pk>/switch/", settings.template_switched, name="switch_template"),
    path("claims/answers/import/", making.answers_import, name="answers_import"),
    path("claims/", conflicts.conflicts, name="conflicts"),
    path("claims/sets/", making.claim_sets, name="claim_sets"),
    path("claims/sets/make/<slug:what>/", making.claims_make, name="claims_make"),
    path("claims/release/", making.conflicts_release, name="conflicts_release"),
    path("claims/settings/", settings.conflict_settings, name="conflict_settings"),
    path("claims/evidence/new/", generation_new, OF_OURS, name="evidence_new"),
    path("claims/checks/", checks, OF_OURS, name="conflict_checks"),
    path("claims/components/", classifiers.components, name="conflict_components"),
    path("claims/components/stop/", classifiers.local_checks_stopped, name="stop_local_checks"),
    path("claims/components/train/", classifiers.classifier_trained, name="train_conflict_classifier"),
    path("claims/<uuid:key>/", conflicts.conflict, name="conflict"),
    path("claims/<uuid:key>/take-down/", conflicts.conflict_taken_down, name="conflict_take_down"),
    path("claims/evidence/<uuid:key>/overrule/", conflicts.overrule_evidence, name="overrule_evidence"),
]
