"""Tells other programs what happens here: signed messages to addresses that admins name, in the form of
Standard Webhooks (https://www.standardwebhooks.com).

A message is a row, written in the transaction of what it tells of, so none is lost and none tells of what was undone.
A worker sends it, and tries again for about a day. It may arrive twice: its id says so.
"""
