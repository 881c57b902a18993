from allauth.account import views as sign_in
from django.urls import include, path, re_path

from .views import account, api_reference, find, health, home, people, project, saved_views, webhooks

# Only those of allauth's pages that an invitation-only site needs: nobody signs up.
account_urls = [
    path("", account.account, name="account"),
    path("name/", account.set_name, name="account_name"),
    path("theme/", account.set_theme, name="account_theme"),
    path("mail/", account.set_mail, name="account_mail"),
    path("tokens/", account.make_token, name="account_token_new"),
    path("tokens/<row:pk>/revoke/", account.revoke_token, name="account_token_revoke"),
    path("join/<str:token>/", account.join, name="join"),
    path("login/", sign_in.login, name="account_login"),
    path("logout/", sign_in.logout, name="account_logout"),
    path("inactive/", sign_in.account_inactive, name="account_inactive"),
    path("password/change/", sign_in.password_change, name="account_change_password"),
    path("password/reset/", account.forgotten_password, name="account_reset_password"),
    path("password/reset/done/", sign_in.password_reset_done, name="account_reset_password_done"),
    path(
        "password/reset/key/done/", sign_in.password_reset_from_key_done, name="account_reset_password_from_key_done"
    ),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        sign_in.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("overview/", home.overview, name="overview"),
    path("find/", find.find, name="find"),
    path("views/", saved_views.views, name="saved_views"),
    path("views/<row:pk>/", saved_views.change, name="saved_view"),
    path("health/", health.health, name="health"),
    path("ready/", health.ready, name="ready"),
    path("account/", include(account_urls)),
    path("people/", people.people_page, name="people"),
    path("people/change/", people.change, name="people_change"),
    path("people/<row:pk>/", people.person, name="person"),
    path("people/<row:pk>/roles/", people.set_roles, name="person_roles"),
    path("people/<row:pk>/deactivate/", people.deactivate, name="person_deactivate"),
    path("people/<row:pk>/activate/", people.activate, name="person_activate"),
    path("people/<row:pk>/password-link/", people.make_password_link, name="person_password_link"),
    path("invitations/", people.invite, name="invite"),
    path("invitations/change/", people.invitations_change, name="invitations_change"),
    path("invitations/<row:pk>/withdraw/", people.withdraw_invitation, name="invitation_withdraw"),
    path("settings/", project.project, name="project"),
    path("settings/webhooks/", webhooks.webhooks, name="webhooks"),
    path("settings/webhooks/<row:pk>/", webhooks.webhook, name="webhook"),
    path("settings/webhooks/<row:pk>/secret/", webhooks.new_secret, name="webhook_secret"),
    path("settings/webhooks/<row:pk>/ping/", webhooks.send_ping, name="webhook_ping"),
    path("settings/deliveries/<uuid:key>/again/", webhooks.deliver_again, name="delivery_again"),
    path("activity/", project.log, name="activity"),
    path("api/", api_reference.reference, name="api_reference"),
]
