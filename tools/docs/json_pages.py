"""The reference of what commands print as JSON: what may change, and a page and a JSON Schema per command."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from shflbench.core.json_schema import REFERENCE
from shflbench.schemas import about, commands, json_schema
from tools.docs.machine_code import table
from tools.docs.pattern_pages import NOTE
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shflbench.core.json_schema import JsonSchema

_CONTRACT = """\
`--format json` of these commands is for programs. Its first key is `schema`, a number per command; a list has it in
each of its objects. `shflbench schema COMMAND` prints the JSON Schema (draft 2020-12) of the installed version, with
the meaning and the unit of every key, and `shflbench schema` lists them.

```sh
shflbench bench kernels.cu --format json -o bench.json
shflbench schema bench > bench.schema.json
check-jsonschema --schemafile bench.schema.json bench.json
```

What a program can rely on while the number is the same:

- No key is removed, and no key that is always there becomes optional.
- No key changes its type, its unit or its meaning. One that is never null stays so.
- Keys may be added, and an option of a command may print another object. Ignore keys that you do not know.
- Texts for people (`sentence`, `headline`, `notes`, …) may be worded otherwise, and words of a closed list, such as
  verdicts, may get further ones: treat an unknown word as undecided.
- An unknown value is null and never 0, unless the meaning of the key says otherwise.

Where a change breaks one of these rules, the number grows by one and the
[changelog](../../../CHANGELOG.md) says what to change; the numbers of other commands stay. A reader compares the number
with the one that it was written for. JSON without `schema` is of a version before 0.3.0: `bench`, `check`, `claims`,
`inspect`, `limits`, `list`, `noise test` and `show` had none, and their keys were those of number 1.

In Python, the [results](../python.md) of `shflbench.bench`, `check`, `advise` and `inspect` have `to_dict()`, which
returns the same."""


def pages() -> Mapping[str, Callable[[], str]]:
    """Return the generators of the pages and files by name."""
    return {
        "json/README.md": index,
        **{f"json/{name}.md": partial(page, name) for name in commands()},
        **{f"json/{name}.json": partial(schema_file, name) for name in commands()},
    }


def index() -> str:
    """Return the page on what may change, with the list of the commands."""
    lines = [f"- [{name}]({name}.md): number {about(name)[0]}" for name in commands()]
    return wrap_page("\n\n".join((NOTE, "# JSON of commands", _CONTRACT, "\n".join(lines))) + "\n")


def page(name: str) -> str:
    """Return the page of one command: a table per object."""
    schema = json_schema(name)
    number, text = about(name)
    forms = " or ".join(_type(form) for form in schema.get("anyOf", [schema]))
    head = f"{text}\n\nNumber {number}; [JSON Schema]({name}.json). The JSON is {forms}."
    sections = [f"## {title}\n\n{part['description']}\n\n{_table(part)}" for title, part in schema["$defs"].items()]
    return wrap_page("\n\n".join((NOTE, f"# JSON of `{name}`", head, *sections)) + "\n")


def schema_file(name: str) -> str:
    """Return the JSON Schema of one command, as `shflbench schema` prints it."""
    return json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"


def _table(part: JsonSchema) -> str:
    return table(("key", "type", "meaning"), _rows(part))


def _rows(part: JsonSchema) -> Iterator[tuple[str, str, str]]:
    for key, value in part["properties"].items():
        optional = "" if key in part["required"] else "; may be missing"
        yield f"`{key}`", _type(value) + optional, value.get("description", "")


def _type(value: Mapping[str, Any]) -> str:
    """Return the type of a value in words, with links to the objects of the page."""
    if reference := value.get("$ref", "").removeprefix(REFERENCE):
        return f"[{reference}](#{reference.lower()})"
    if choices := value.get("anyOf"):
        return " or ".join(map(_type, choices))
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    names = value["type"]
    return " or ".join(map(_named, names)) if isinstance(names, list) else _container(value)


def _container(value: Mapping[str, Any]) -> str:
    match value:
        case {"items": item}:
            return f"list of {_item(item)}"
        case {"prefixItems": items}:
            return f"list of {', '.join(map(_type, items))}"
        case {"additionalProperties": item}:
            return f"object, each value {_item(item)}"
        case _:
            return _named(value["type"])


def _item(value: Mapping[str, Any]) -> str:
    text = _type(value)
    return f"({text})" if " or " in text else text


def _named(name: str) -> str:
    return {"string": "text", "boolean": "`true` or `false`"}.get(name, name)
