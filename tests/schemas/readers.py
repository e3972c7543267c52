"""Find what a program that was written for one schema cannot read in JSON of another one."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]


def unreadable(old: Schema, new: Schema) -> list[str]:
    """Return what readers of `old` cannot read in JSON of `new`, a line each; of the new forms, one per old form."""
    reader = _Reader(old, new)
    return [problem for form in reader.forms(old, old) for problem in reader.best(form, reader.forms(new, new))]


class _Reader:
    def __init__(self, old: Schema, new: Schema) -> None:
        self.old, self.new = old, new

    def forms(self, schema: Schema, root: Schema) -> list[Schema]:
        """Return the types that a value may have, each with what else is known of it."""
        if "$ref" in schema:
            return self.forms(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
        if "anyOf" in schema:
            return [form for choice in schema["anyOf"] for form in self.forms(choice, root)]
        if isinstance(schema.get("type"), list):
            return [{"type": name} for name in schema["type"]]
        return [schema]

    def best(self, old: Schema, forms: list[Schema]) -> list[str]:
        """Return the problems with the form that has the fewest."""
        return min((list(self.problems(old, form, "$")) for form in forms), key=len)

    def values(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        """Yield the problems with a value: each of its new types has to be an old one."""
        olds = self.forms(old, self.old)
        for form in self.forms(new, self.new):
            yield from min((list(self.problems(one, form, place)) for one in olds), key=len)

    def problems(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        if "const" in old or "const" in new:
            if old.get("const") != new.get("const"):
                yield f"{place}: {old} became {new}"
        elif old["type"] != new["type"] and (old["type"], new["type"]) != ("number", "integer"):
            yield f"{place}: {old['type']} became {new['type']}"
        elif "properties" in old:
            yield from self._keys(old, new, place)
        else:
            yield from self._parts(old, new, place)

    def _keys(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        known = new.get("properties", {})
        for key, value in old["properties"].items():
            if key not in known:
                yield f"{place}.{key}: removed"
            elif key in old["required"] and key not in new["required"]:
                yield f"{place}.{key}: may be missing"
            else:
                yield from self.values(value, known[key], f"{place}.{key}")

    def _parts(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        for name in ("items", "additionalProperties"):
            if name in old:
                if name not in new:
                    yield f"{place}: another kind of {old['type']}"
                else:
                    yield from self.values(old[name], new[name], f"{place}[]")
        places = old.get("prefixItems", [])
        if len(places) != len(new.get("prefixItems", [])):
            yield f"{place}: another number of places"
        else:
            for one, other in zip(places, new.get("prefixItems", []), strict=True):
                yield from self.values(one, other, f"{place}[]")
