"""Changes the thresholds of the checks of a benchmark's candidates."""

from django.db import transaction

from core.models import Event, User

from ..models import CheckSettings, JudgingAction


@transaction.atomic
def change_check_settings(*, benchmark: str, admin: User | None, **values: float | int) -> list[str]:
    """Change these thresholds, and only these; returns the names of those that are now different. What was measured
    stays, and is compared with them when the checks are run again. Raises ValidationError if one is out of range."""
    CheckSettings.of(benchmark)
    row = CheckSettings.objects.select_for_update().get(benchmark=benchmark)
    before = {name: getattr(row, name) for name, value in values.items() if getattr(row, name) != value}
    if not before:
        return []
    after = {name: values[name] for name in before}
    for name, value in after.items():
        setattr(row, name, value)
    row.full_clean()
    row.save(update_fields=list(after))
    Event.record(JudgingAction.CHANGED_CHECKS, row, actor=admin, before=dict(before), after=dict(after))
    return list(after)
