from django.urls import path

from . import sending, views, webhooks

urlpatterns = [
    path("me/", views.Me.as_view(), name="me"),
    path("people/", views.People.as_view(), name="people"),
    path("people/change/", views.PeopleChange.as_view(), name="people_change"),
    path("people/<row:pk>/", views.Person.as_view(), name="person"),
    path("invitations/change/", views.InvitationsChange.as_view(), name="invitations_change"),
    path("activity/", views.Activity.as_view(), name="activity"),
    path("webhooks/", webhooks.Webhooks.as_view(), name="webhooks"),
    path("deliveries/", webhooks.Deliveries.as_view(), name="deliveries"),
    path("deliveries/<uuid:key>/again/", webhooks.DeliveryAgain.as_view(), name="delivery_again"),
    path("news/", webhooks.News.as_view(), name="news"),
    path("sending/", sending.Sending.as_view(), name="sending"),
    path("sending/allow/", sending.AllowSending.as_view(), name="sending_allow"),
    path("sending/resume-calls/", sending.ResumeCalls.as_view(), name="sending_resume_calls"),
    path("schema/", views.Schema.as_view(), name="schema"),
]
