"""The rows of 0002 whose triggers read other tables: off while one of these is made anew, on again afterwards."""

USED = (
    "(EXISTS (SELECT 1 FROM judging_call WHERE {column} = OLD.id)"
    " OR EXISTS (SELECT 1 FROM judging_response WHERE {column} = OLD.id))"
)
ANSWERING = ("kind", "endpoint_name", "decoding", "max_tokens_name", "empty_system_message")
ANSWERS_OTHERWISE = " OR ".join(f"OLD.{name} {{differs}} NEW.{name}" for name in ANSWERING)
FROZEN = [
    ("judging_prompttemplate", "a used prompt template never changes", USED.format(column="template_id")),
    (
        "judging_languagemodel",
        "what decides the answers of a used model never changes",
        f"({ANSWERS_OTHERWISE}) AND {USED.format(column='model_id')}",
    ),
]
