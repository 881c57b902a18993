"""Messages that wait for the next page of the person who acted."""

from django.contrib.messages.storage.fallback import FallbackStorage

from .texts import translated


class MessagesInTheirLanguage(FallbackStorage):
    """Keeps messages in the language of the request: a cookie holds no `Text`."""

    def add(self, level: int, message: str, extra_tags: str | None = "") -> None:
        super().add(level, translated(message), extra_tags)
