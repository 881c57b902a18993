"""Notifies other programs of events: signed messages to addresses that admins name, in the form of Standard Webhooks
(https://www.standardwebhooks.com).

A message is a row, written in the transaction of its event, so none is lost and none reports an event that was rolled
back. A worker sends it, and tries again for about a day. It may arrive twice: its id says so.
"""
