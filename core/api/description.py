"""Describes an address in the schema: names, and the two ways to sign in."""

from drf_spectacular.openapi import AutoSchema

READING = ("GET", "HEAD")


class Description(AutoSchema):
    def get_operation_id(self) -> str:
        """The class and method of the address: `get_person`, `post_run_start`."""
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(self.view).__name__)
        return f"{self.method.lower()}{name}"

    def get_extensions(self) -> dict[str, object]:
        """The roles that may enter, and the scope that a token needs."""
        reads = self.method in READING
        return {"x-roles": sorted(self.view.roles), "x-scope": "read" if reads else self.view.acting}

    def get_auth(self) -> list[dict[str, list[str]]]:
        return [{"token": []}, {"session": []}]
