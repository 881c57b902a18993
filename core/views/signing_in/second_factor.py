"""Allauth's pages about second factors, and those where a person confirms who they are: behind our own sign-in."""

from allauth.account import views as account
from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.views.decorators.cache import never_cache

from ...web.access import role_required

signed_in = role_required()

index = signed_in(base.index)
set_up_app = never_cache(signed_in(totp.activate_totp))
remove_app = signed_in(totp.deactivate_totp)
codes = never_cache(signed_in(recovery_codes.view_recovery_codes))
new_codes = signed_in(recovery_codes.generate_recovery_codes)
add_passkey = signed_in(webauthn.add_webauthn)
remove_passkey = signed_in(webauthn.remove_webauthn)
rename_passkey = signed_in(webauthn.edit_webauthn)
confirm = signed_in(account.reauthenticate)
confirm_by_code = signed_in(base.reauthenticate)
confirm_by_passkey = signed_in(webauthn.reauthenticate_webauthn)

# Steps of signing in.
authenticate = base.authenticate
sign_in_by_passkey = webauthn.login_webauthn
