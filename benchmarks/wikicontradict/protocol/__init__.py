"""The values that prompts are filled with, and answers without a model; no models here."""
