"""Changes to a suite that a person, an editor or an attacker might make; each draws its choices from `rng`."""

import re
from collections.abc import Callable
from random import Random

from tests.suite.hostile import ENTRIES, HEADS, KEYS, VALUES, WORDS

Change = Callable[[Random, str], str]
ENTRY = re.compile(
    r"(?<![\w-])(?P<key>[\w-]{1,40}): ?(?P<value>\[[^\[\]\n]*\]|\{[^{}\n]*\}|[^\s,\[\]{}#][^,\[\]{}#\n]*)"
)
_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")


def flipped_bytes(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(min(len(changed), rng.choice((1, 1, 2, 8, 64)))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def lost_lines(rng: Random, text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if rng.random() < 0.9)


def repeated_line(rng: Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines) * rng.choice((1, 1, 1, 2, 500)))
    return "".join(lines)


def swapped_lines(rng: Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def shuffled_lines(rng: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    rng.shuffle(lines)
    return "".join(lines)


def shifted_lines(rng: Random, text: str) -> str:
    shift = rng.choice(("", " ", "  ", "    ", "\t", " \t", "- ", "\u00a0"))
    return "".join(shift + line.lstrip(" ") if rng.random() < 0.2 else line for line in text.splitlines(keepends=True))


def changed_tokens(rng: Random, text: str) -> str:
    tokens = _TOKEN.findall(text) or [""]
    for _ in range(rng.choice((1, 2, 5))):
        place = rng.randrange(len(tokens))
        tokens[place] = rng.choice(("", tokens[place] * 2, rng.choice(tokens), rng.choice(tokens).upper()))
    return "".join(tokens)


def changed_character(rng: Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + chr(rng.choice((rng.randrange(0x80), rng.randrange(0xD800)))) + text[place + 1 :]


def hostile_word(rng: Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(WORDS) + text[place:]


def hostile_value(rng: Random, text: str) -> str:
    entries = list(ENTRY.finditer(text))
    if not entries:
        return rng.choice(VALUES)
    entry = rng.choice(entries)
    return text[: entry.start("value")] + rng.choice(VALUES) + text[entry.end("value") :]


def exchanged_values(rng: Random, text: str) -> str:
    entries = list(ENTRY.finditer(text))
    if len(entries) < 2:
        return text
    first, second = sorted(rng.sample(entries, 2), key=lambda entry: entry.start())
    between = text[first.end("value") : second.start("value")]
    return text[: first.start("value")] + second["value"] + between + first["value"] + text[second.end("value") :]


def hostile_key(rng: Random, text: str) -> str:
    entries = list(ENTRY.finditer(text))
    if not entries:
        return f"{rng.choice(KEYS)}: {text}"
    entry = rng.choice(entries)
    return text[: entry.start("key")] + rng.choice(KEYS) + text[entry.end("key") :]


def added_entry(rng: Random, text: str) -> str:
    return _beside(rng, text, f"{rng.choice(KEYS)}: {rng.choice(VALUES)}")


def sound_entry(rng: Random, text: str) -> str:
    return _beside(rng, text, rng.choice(ENTRIES))


def _beside(rng: Random, text: str, added: str) -> str:
    """Add an entry beside an existing one, in the style of its line."""
    entries = list(ENTRY.finditer(text))
    if not entries:
        return f"{text}{added}\n"
    entry = rng.choice(entries)
    before = text[text.rfind("\n", 0, entry.start()) + 1 : entry.start()]
    return (
        text[: entry.start()]
        + (f"{added}, " if "{" in before else f"{added}\n{' ' * len(before)}")
        + text[entry.start() :]
    )


def anchored(rng: Random, text: str) -> str:
    """Turn values into anchors and aliases of one another."""
    return ENTRY.sub(
        lambda entry: rng.choice(
            (entry[0],) * 6 + (f"{entry['key']}: &a {entry['value']}", f"{entry['key']}: *a", f"<<: *a\n{entry[0]}")
        ),
        text,
    )


def new_head(rng: Random, text: str) -> str:
    return rng.choice(HEADS) + text


def truncated(rng: Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def without_beginning(rng: Random, text: str) -> str:
    return text[rng.randrange(len(text) + 1) :]


def other_line_breaks(rng: Random, text: str) -> str:
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\r", "\x85", "\u2028", "\x0b", " \n", "\n\n", "")))


def all_of_one(rng: Random, text: str) -> str:
    """Replace every occurrence of one character by another: all colons, all blanks."""
    other = rng.choice(("", "\t", ":", " ", "'", '"', "\u00a0", "9", ", ", "\n"))
    return text.replace(rng.choice(": ,[]{}-#\n0"), other)


CHANGES: tuple[Change, ...] = (
    *(lost_lines, repeated_line, swapped_lines, shuffled_lines, shifted_lines),
    *(changed_tokens, changed_tokens, changed_character, hostile_word, all_of_one, other_line_breaks),
    *(hostile_value, hostile_value, hostile_value, hostile_value, hostile_value),
    *(exchanged_values, exchanged_values, hostile_key, hostile_key, added_entry, added_entry, added_entry),
    *(sound_entry, sound_entry, sound_entry, sound_entry, sound_entry, sound_entry),
    *(anchored, new_head, truncated, without_beginning),
)
