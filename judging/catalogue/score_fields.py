"""Fields of readings' scores for queries, read from JSON by the database."""

from typing import Any

from django.db.models import BigIntegerField, BooleanField, F, Func


class _OfScores(Func):
    """An expression about one field of the scores, which are at `path` from the rows of the query."""

    def __init__(self, field: str, *, path: str = "scores", **extra: Any):
        if not field.isidentifier():
            raise ValueError(f"{field!r} is no field of a score")
        super().__init__(F(path), key=field, **extra)


class ScoreNumber(_OfScores):
    """The whole number in a field of the scores; NULL where it has its default."""

    output_field = BigIntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(compiler, connection, template="(%(expressions)s ->> '%(key)s')::bigint", **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(compiler, connection, template="(%(expressions)s ->> '$.%(key)s')", **context)


class ScoreIs(_OfScores):
    """The condition that a field of the scores is this word, or true."""

    output_field = BooleanField()

    def __init__(self, field: str, value: str | bool = True, **extra: Any):
        if value is not True and not (isinstance(value, str) and value.isidentifier()):
            raise ValueError(f"{value!r} is not compared here")
        super().__init__(field, value=value, **extra)

    def as_postgresql(self, compiler: object, connection: object, **context: object) -> Any:
        return self._compared(compiler, connection, "%(expressions)s ->> '%(key)s'", "true", context)

    def as_sqlite(self, compiler: object, connection: object, **context: object) -> Any:
        return self._compared(compiler, connection, "%(expressions)s ->> '$.%(key)s'", 1, context)

    def _compared(self, compiler: Any, connection: Any, read: str, true: Any, context: dict[str, Any]) -> Any:
        value = true if self.extra["value"] is True else self.extra["value"]
        written = f"'{value}'" if isinstance(value, str) else value
        return super().as_sql(compiler, connection, template=f"({read}) = {written}", **context)
