from dataclasses import replace

from shflbench.output.export.claims.markdown import escape, render
from tests.output.export.claims.gpu import judged
from tests.output.export.claims.verdicts import CONFIRMED, DEPENDS, UNTESTABLE

TEXT = """\
### NVIDIA H200, sm_90

3 claims: 1 confirmed, 0 refuted, 1 depends, 0 inconclusive, 1 untestable.

| id | claim | claimed | measured | verdict | why |
| --- | --- | --- | --- | --- | --- |
| G12 | {says} | about 3× (GTC 2013) | 2.9× to 3.1× in 2 settings | confirmed | shfl: exchange |
| G22 | {says} | about 3× (GTC 2013) | 2.9× to 3.1× in 2 settings | depends |  |
| A11 | the shuffle version is hard to read |  |  | untestable |  |

- **G22** depends: it holds with f32 and fails with f64
- **A11** untestable: nobody can measure how readable code is"""


def test_table_is_followed_by_the_verdicts_that_need_a_sentence() -> None:
    says = "a reduction by shuffles is faster than one through shared memory"
    assert render([judged(CONFIRMED, DEPENDS, UNTESTABLE)]) == TEXT.format(says=says)


def test_text_of_a_suite_stays_text() -> None:
    assert escape("![x](http://x)\n| <img> `rm` *b*") == "!\\[x\\](http://x) \\| &lt;img> \\`rm\\` \\*b\\*"
    one = replace(CONFIRMED, claim=replace(CONFIRMED.claim, id="<b>", says="a | b", figure="[1]", source="`c`"))
    text = render([judged(one)])
    assert "| &lt;b> | a \\| b | \\[1\\] (\\`c\\`) |" in text


def test_confirmed_claims_need_no_sentence() -> None:
    assert render([judged(CONFIRMED)]).splitlines()[-1].startswith("| G12 |")
