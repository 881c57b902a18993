"""Headers that every answer has."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

# Abilities of browsers that no page uses: a script that got in anyway has none of them.
UNUSED = (
    *("accelerometer", "autoplay", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
    *("microphone", "midi", "payment", "usb", "xr-spatial-tracking"),
)
POLICY = ", ".join([*(f"{name}=()" for name in UNUSED), "publickey-credentials-get=(self)"])


class PermissionsMiddleware(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response["Permissions-Policy"] = POLICY
        return response
