"""ContraDoc's tasks for people, and what its tables count of them."""


def register() -> None:
    """Make the forms of ContraDoc known."""
    from annotation.releases import reading

    from ...models import subjects
    from ...rounds import forms
    from .finding import FINDING, refuse_who_finds
    from .free_format import FREE_FORMAT
    from .verification import SUBJECT, VERIFICATION

    subjects.register(SUBJECT)
    for form in (VERIFICATION, FINDING, FREE_FORMAT):
        forms.register(form)
    reading.register(refuse_who_finds)
