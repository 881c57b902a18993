"""JSON entered in a form. Forms use this field instead of Django's own."""

import json
from typing import Any

from django import forms

from ..outside import STRICT_JSON


class StrictDecoder(json.JSONDecoder):
    """Reads JSON as strictly as all input from outside. Raises JSONDecodeError, which the field expects, for
    everything invalid, including numbers with thousands of digits and values nested too deep.
    """

    def decode(self, s: str, *_given: object) -> Any:
        try:
            return STRICT_JSON.decode(s)
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from error


class JSONText(forms.JSONField):
    """A field with JSON."""

    def __init__(self, **options: Any):
        super().__init__(decoder=StrictDecoder, **options)
