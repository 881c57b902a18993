"""Pages of facts, claims and evidence. Their addresses begin with `judging/`."""

from django.urls import path

from .views import conflicts, settings

urlpatterns = [
    path("facts/", conflicts.facts, name="facts"),
    path("facts/templates/", settings.relation_templates, name="relation_templates"),
    path("facts/templates/<row:pk>/switch/", settings.template_switched, name="switch_template"),
    path("claims/", conflicts.conflicts, name="conflicts"),
    path("claims/settings/", settings.conflict_settings, name="conflict_settings"),
    path("claims/<uuid:key>/", conflicts.conflict, name="conflict"),
    path("claims/evidence/<uuid:key>/overrule/", conflicts.overrule_evidence, name="overrule_evidence"),
]
