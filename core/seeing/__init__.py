"""Seeing what goes on: lines of the log, figures for Prometheus, alarms, errors for Sentry, and the page Now."""
