"""Store the schemas of this version, for which programs are written: `python -m tests.schemas.stored`.

Refuses a schema that readers of the stored one of the same number cannot read: give it the next number.
"""

import json
import sys
from pathlib import Path
from typing import Any

from shflbench.schemas import about, commands, json_schema
from tests.schemas.readers import unreadable

FOLDER = Path(__file__).parents[1] / "data" / "schemas"


def path_of(command: str) -> Path:
    """Return the file of the schema of a command with its current number."""
    return FOLDER / f"{command}-{about(command)[0]}.json"


def without_words(schema: Any) -> Any:
    """Return a schema without descriptions, which may change at any time; a key may be called so, too."""
    if isinstance(schema, list):
        return [without_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    is_schema = not ("description" in schema and isinstance(schema["description"], dict))
    return {name: without_words(item) for name, item in schema.items() if not (is_schema and name == "description")}


def current(command: str) -> Any:
    """Return the schema of a command as it is stored."""
    return without_words(json_schema(command))


def _store(command: str) -> None:
    schema, path = current(command), path_of(command)
    if path.exists() and (problems := unreadable(json.loads(path.read_text()), schema)):
        sys.exit(f"{command}: give SCHEMA the next number, or keep what was:\n" + "\n".join(problems))
    path.write_text(json.dumps(schema, indent=1) + "\n")


if __name__ == "__main__":
    for name in commands():
        _store(name)
