"""The section `claims` of a suite: what is read, and what a user reads about mistakes in it."""

import time
from pathlib import Path

import pytest

from shflbench.core.claims.claim import Claim, Quantifier
from shflbench.core.claims.functions import FUNCTIONS
from shflbench.core.claims.parse import parse_expression
from shflbench.core.model import Overrides
from shflbench.suite.claim_values import MAX_SENTENCE
from shflbench.suite.schema import MAX_CLAIMS
from tests.suite.conftest import Folder

CASES = """\
defaults: {launch: [1x32, 2*sms x 64], dtypes: f32, iterations: 7}
experiments: [{pattern: ./ring, mode: [idx, up]}, {pattern: ./once, variants: smem, l2: [warm, cold]}]
"""
HEAD = f"schema: 1\nname: demo\n{CASES}"  # claims start on line 5
KEYS = "pattern, dtype, launch, grid, block, iterations, extra_shared, l2, mode, width"
CLAIM_KEYS = "id, says, source, figure, where, holds, measure, quantifier, required, untestable"
LINE = "one line of at most 400 characters"
NO_COMBINATION = "needed: a combination that the suite has"


def entry(keys: str) -> str:
    """Return a suite whose only claim has an id, a sentence and these keys, which start on line 6 at column 26."""
    return f"{HEAD}claims:\n  - {{id: A, says: a b c, {keys}}}\n"


def test_claims_are_part_of_the_suite(folder: Folder) -> None:
    suite = folder.load(
        f"""{HEAD}claims:
  - id: G12
    says: shuffles are faster than shared memory
    source: "GTC 2013, Shuffle: Tips and Tricks"
    figure: about 3×
    where: {{pattern: ring, width: 32, launch: [1 x 32, 2 *sms x 64], block: 64, grid: 2*sms, iterations: 7}}
    holds: speedup(shfl, smem) > 1 and time(shfl, launch='2 * sms x 64') < 1e3
    measure: speedup(shfl,  smem)
    required: true
  - id: G12-some
    says: >-
      the barrier costs
      something
    holds: >-
      time(smem)
      > 0
    where: {{dtype: f32}}
    quantifier: some
  - {{id: A11, says: it is harder to read, untestable: no measurement tells}}
"""
    )
    assert suite.claims == (
        Claim(
            id="G12",
            says="shuffles are faster than shared memory",
            source="GTC 2013, Shuffle: Tips and Tricks",
            figure="about 3×",
            where={
                "pattern": ("ring",),
                "launch": ("1x32", "2*sms x 64"),
                "grid": ("2*sms",),
                "block": ("64",),
                "iterations": ("7",),
                "width": ("32",),
            },
            holds=parse_expression("speedup(shfl, smem) > 1 and time(shfl, launch='2*sms x 64') < 1000"),
            text="speedup(shfl, smem) > 1 and time(shfl, launch='2 * sms x 64') < 1e3",
            measure=parse_expression("speedup(shfl, smem)"),
            required=True,
        ),
        Claim(
            id="G12-some",
            says="the barrier costs something",
            where={"dtype": ("f32",)},
            holds=parse_expression("time(smem) > 0"),
            text="time(smem) > 0",
            quantifier=Quantifier.SOME,
        ),
        Claim(id="A11", says="it is harder to read", untestable="no measurement tells"),
    )
    assert [claim.holds is not None for claim in suite.claims] == [True, True, False]


def test_a_suite_may_have_no_claims_or_one(folder: Folder) -> None:
    assert folder.load(HEAD).claims == ()
    (claim,) = folder.load(f"{HEAD}claims: {{id: a, says: b, holds: verified(smem)}}\n").claims
    assert (claim.id, claim.where, claim.required) == ("a", {}, False)


def test_claims_do_not_depend_on_the_filters_of_the_command_line(folder: Folder) -> None:
    text = entry("where: {pattern: ring}, holds: verified(shfl)")
    assert folder.load(text, Overrides(patterns=("once",))).claims == folder.load(text).claims


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("holds: true", "6:33: found `true`; allowed: an expression such as `speedup(shfl, smem) > 1`"),
        ("holds: ", "6:26: found nothing; allowed: an expression such as `speedup(shfl, smem) > 1`"),
        (
            "holds: time(smem) > 1, measure: []",
            "6:58: found an empty list; allowed: an expression such as `speedup(shfl, smem)`",
        ),
        ("figure: 3", "6:34: found `3`; allowed: one line of at most 100 characters"),
        ("source: ''", f"6:34: found empty text; allowed: {LINE}"),
        ('source: "a\\nb"', f"6:34: found `a\\nb`; allowed: {LINE}"),
        ('source: "a \\u202e b"', f"6:34: found `a \\u202e b`; allowed: {LINE}"),
        ('source: "\\e[2J"', f"6:34: found `\\x1b[2J`; allowed: {LINE}"),
        (f"source: {'x' * (MAX_SENTENCE + 1)}", f"6:34: found `{'x' * 80}…`; allowed: {LINE}"),
        ("quantifier: most", "6:38: found `most`; allowed: all, always, some"),
        ("required: yes", "6:36: found `yes`; allowed: true or false"),
        ("required: 1", "6:36: found `1`; allowed: true or false"),
        (
            "where: ring",
            "6:33: found `ring`; allowed: a mapping with the keys pattern, dtype, launch, grid, block, iterations",
        ),
        (
            "where: {grid: x}",
            "6:40: found `x`; allowed: a number of blocks from 1 to 2147483647, `sms`, `2*sms`, `sms/2` or `fill`",
        ),
        ("hold: verified(smem)", f"6:26: unknown key `hold`; allowed: {CLAIM_KEYS}; did you mean `holds`?"),
        ("source: x", "6:5: missing key `holds`; needed: the condition to test, or `untestable` with the reason"),
        (
            "holds: verified(smem), untestable: x",
            "6:26: found the key `holds` beside `untestable`; allowed: one of them",
        ),
        ("untestable: x, required: true", "6:41: found the key `required` beside `untestable`; allowed: one of them"),
        (
            "untestable: x, measure: time(smem)",
            "6:41: found the key `measure` beside `untestable`; allowed: one of them",
        ),
    ],
)
def test_a_claim_is_checked_key_by_key(folder: Folder, keys: str, message: str) -> None:
    assert folder.refusal(entry(keys)) == f"demo.yaml:{message}"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("[]", "5:9: found an empty list; allowed: at least one value"),
        ("7", f"5:9: found `7`; allowed: a mapping with the keys {CLAIM_KEYS}"),
        (
            "{says: b, holds: verified(smem)}",
            "5:9: missing key `id`; needed: a short name, unique in the file, such as `G12`",
        ),
        (
            "{id: 12, says: b, holds: verified(smem)}",
            "5:14: found `12`; allowed: at most 40 letters, digits and `._-`, a letter or digit first, such as `G12`",
        ),
        (
            "{id: ../a, says: b, holds: verified(smem)}",
            "5:14: found `../a`; allowed: at most 40 letters, digits and `._-`, a letter or digit first, such as `G12`",
        ),
        (
            "[{id: a, says: b, holds: verified(smem)}, {id: a, says: b, holds: verified(smem)}]",
            "5:56: found `a` a second time, already claim 1; allowed: each id once",
        ),
    ],
)
def test_the_section_is_checked(folder: Folder, claims: str, message: str) -> None:
    assert folder.refusal(f"{HEAD}claims: {claims}\n") == f"demo.yaml:{message}"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "{pattern: rnig}",
            "6:43: `rnig` matches no case; needed: a value of this suite: ring, once; did you mean `ring`?",
        ),
        (
            "{pattern: ./ring}",
            "6:43: `./ring` matches no case; needed: a value of this suite: ring, once; did you mean `ring`?",
        ),
        ("{lanuch: 1x32}", f"6:34: unknown key `lanuch`; allowed: {KEYS}; did you mean `launch`?"),
        ("{width: [32, 16]}", "6:46: `16` matches no case; needed: a value of this suite: 32"),
        ("{mode: down}", "6:40: `down` matches no case; needed: a value of this suite: idx, up"),
        ("{mode: {a: b}}", "6:40: found a mapping; allowed: a value of this option, or a list of values"),
        ("{mode: }", "6:34: found nothing; allowed: a value of this option, or a list of values"),
        ("{mode: []}", "6:40: found an empty list; allowed: at least one value"),
        ("{dtype: f64}", "6:41: `f64` matches no case; needed: a value of this suite: f32"),
        ("{launch: 1x64}", "6:42: `1x64` matches no case; needed: a value of this suite: 1x32, 2*sms x 64"),
        ("{grid: sms}", "6:40: `sms` matches no case; needed: a value of this suite: 1, 2*sms; did you mean `2*sms`?"),
        ("{iterations: 8}", "6:46: `8` matches no case; needed: a value of this suite: 7, 1"),
        ("{pattern: once, mode: up}", f"6:33: this combination matches no case; {NO_COMBINATION}"),
        ("{pattern: ring, l2: cold}", f"6:33: this combination matches no case; {NO_COMBINATION}"),
        ("{launch: 1x32, block: 64}", f"6:33: this combination matches no case; {NO_COMBINATION}"),
    ],
)
def test_where_selects_cases_of_the_suite(folder: Folder, where: str, message: str) -> None:
    assert folder.refusal(entry(f"where: {where}, holds: verified(smem)")) == f"demo.yaml:{message}"


def test_where_may_name_the_default_of_a_launch_option(folder: Folder) -> None:
    """As the evaluation does: a case that does not name `l2` was measured with a warm cache."""
    (claim,) = folder.load(entry("where: {pattern: ring, l2: warm, extra_shared: 0}, holds: verified(smem)")).claims
    assert claim.where == {"pattern": ("ring",), "l2": ("warm",), "extra_shared": ("0",)}


@pytest.mark.parametrize(
    ("holds", "message"),
    [
        (
            "spedup(shfl, smem) > 1",
            f"7:12: unknown function `spedup`; allowed: {', '.join(FUNCTIONS)}; did you mean `speedup`?",
        ),
        (
            "verified(smem) and (time(shfl) > 1",
            (
                "7:46: found the end, and the parenthesis at character 20 is open; "
                "needed: an operator such as `>` or `and`, or `)`"
            ),
        ),
        ("'limit_by(smem) > 1'", "7:30: found a number, compared with a text; needed: a text"),
        ('"limit_by(smem) > 1"', "7:30: found a number, compared with a text; needed: a text"),
        ("'limit_by(smem) == ''x'", "7:12: found a text without its closing quote; needed: '"),
        (
            ">-\n      verified(smem)\n      and 7",
            "7:12: found a number beside `and`; needed: a truth value such as `time(a) < time(b)`",
        ),
        (
            "verified(smem) and verified(shlf)",
            "7:31: unknown variant `shlf`; allowed: smem, smem-unsafe, shfl; did you mean `shfl`?",
        ),
        ("verified(match)", "7:12: unknown variant `match`; allowed: smem, smem-unsafe, shfl"),
        ("verified(shfl, mode=donw)", "7:12: `mode=donw` matches no case; needed: a value of this suite: idx, up"),
        ("verified(shfl, modes=up)", f"7:12: unknown setting `modes`; allowed: {KEYS}; did you mean `mode`?"),
        (
            "verified(shfl, launch='2*sms y')",
            (
                "7:12: found `launch=2*sms y`; allowed: grid x block, such as `26x1024`, "
                "`sms x 128`, `2*sms x 256`, `sms/2 x 64` or `fill x 1024`; "
                "of two or three dimensions grid:block, such as `8x8:16x16`"
            ),
        ),
        ("verified(shfl, l2=cold)", f"7:12: `l2=cold` matches no case beside `where`; {NO_COMBINATION}"),
        ("verified(shfl, pattern=once)", "7:12: unknown variant `shfl`; allowed: smem"),
    ],
)
def test_a_mistake_in_an_expression_is_reported_at_its_character(folder: Folder, holds: str, message: str) -> None:
    text = f"{HEAD}claims:\n  - {{id: A0, says: b, untestable: c}}\n  - holds: {holds}\n    id: A1\n    says: b\n"
    assert folder.refusal(f"{text}    where: {{pattern: ring}}\n") == f"demo.yaml:{message}"


def test_a_setting_of_an_expression_may_change_where(folder: Folder) -> None:
    holds = "verified(smem, pattern=once, l2=cold) and time(shfl, mode=up) / time(shfl, launch='2*sms x 64') > 1"
    text = f"{HEAD}claims:\n  - id: A1\n    says: b\n    where: {{pattern: ring, mode: idx, launch: 1x32}}\n"
    (claim,) = folder.load(f"{text}    holds: {holds}\n").claims
    assert claim.text == holds


def test_a_variant_has_to_exist_in_each_selected_pattern(folder: Folder) -> None:
    assert folder.refusal(entry('holds: "speedup(shfl, smem) > 1"')) == (
        "demo.yaml:6:34: the variant `shfl` is not in `once`, which `where` selects; "
        "needed: a `where` with the patterns that have it: ring"
    )
    assert folder.load(entry("holds: verified(smem)")).claims


def test_an_alias_of_an_expression_is_reported_where_it_stands(folder: Folder) -> None:
    text = f"{HEAD}claims:\n  - {{id: a, says: b, holds: &a verified(smem)}}\n  - {{id: c, says: *b , holds: *a }}\n"
    assert folder.refusal(text) == "demo.yaml:7:19: unknown alias `*b`; needed: `&b` before it"
    assert len(folder.load(text.replace("*b", "d")).claims) == 2
    assert folder.refusal(text.replace("*b", "d").replace("verified(smem)", "verified(smm)")) == (
        "demo.yaml:6:29: unknown variant `smm`; allowed: smem, smem-unsafe, shfl; did you mean `smem`?\n"
        "demo.yaml:7:30: unknown variant `smm`; allowed: smem, smem-unsafe, shfl; did you mean `smem`?"
    )


def test_a_long_section_is_refused(folder: Folder) -> None:
    claims = "".join(f"  - {{id: a{index}, says: b, untestable: c}}\n" for index in range(MAX_CLAIMS + 1))
    assert folder.refusal(f"{HEAD}claims:\n{claims}") == "demo.yaml:6:3: found a list; allowed: at most 200 claims"


def test_many_claims_of_many_cases_are_checked_at_once(folder: Folder) -> None:
    grids = ", ".join(map(str, range(1, 251)))
    suite = (
        f"schema: 1\nname: a\nexperiments: {{pattern: ./ring, launch: {{grid: [{grids}], block: [32, 64, 96, 128]}}}}\n"
    )
    calls = " + ".join(f"time(shfl, grid={grid})" for grid in range(1, 6))
    claims = "".join(
        f"  - {{id: a{index}, says: b, where: {{dtype: f32, grid: {index + 1}}}, holds: '{calls} > 1'}}\n"
        for index in range(MAX_CLAIMS)
    )
    begin = time.process_time()
    assert len(folder.load(f"{suite}claims:\n{claims}").claims) == MAX_CLAIMS
    assert time.process_time() - begin < 4  # here 0.5


def test_claims_of_a_file_that_has_another_mistake_are_checked_too(folder: Folder) -> None:
    text = entry("holds: time(smem)").replace("./once", "./twice")
    assert [line.split(": ")[0] for line in folder.refusal(text).splitlines()] == ["demo.yaml:4:61", "demo.yaml:6:33"]


def test_no_suite_reads_a_file_or_executes_code(folder: Folder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2", encoding="utf-8")
    for holds in (f"open('{secret}') > 1", f"__import__('os').remove('{secret}') > 1", f"time('{secret}') > 1"):
        message = folder.refusal(f"{HEAD}claims:\n  - id: a\n    says: b\n    holds: {holds}\n")
        assert "hunter2" not in message
        assert message.startswith("demo.yaml:8:")
    assert secret.exists()
