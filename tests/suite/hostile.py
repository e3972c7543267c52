"""Words, values and whole parts that break careless readers of YAML."""

_LAUGHS = "".join(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 10))
_MERGED_LAUGHS = "".join(
    f"m{level}: &m{level} {{a{level}: 1, <<: [{', '.join([f'*m{level - 1}'] * 9)}]}}\n" for level in range(1, 10)
)
_GRIDS = ", ".join(map(str, range(1, 1001)))
_BLOCKS = ", ".join(map(str, range(32, 1025, 32)))
_COMPARE = "compare: {threshold: 1%, cases: [{variant: shfl, threshold: 0.5us}, {case: '*', threshold: 2%}]}\n"
_CLAIMS = "claims: [{id: a, says: b, holds: verified(shfl)}, {id: c, says: d, untestable: e, where: {dtype: f32}}]\n"
_HUGE = f"{{grid: [{_GRIDS}], block: [{_BLOCKS}]}}"

WORDS = (  # for a word that stands alone, or within one
    *("", " ", "\t", "\u00a0", "\ufeff", "\u200f", "\u202e", "\u2028", "\x85", "\x00", "\x07", "\x1b[2J", "\x7f"),
    *("\ue000", "\ufffe", "\ufffd", "\U0001f600", "\U000e0001", "e\u0301", "\u0663", "ﬁ", "İ"),
    *(":", ": ", "-", "- ", "? ", "#", " #", ",", "[", "]", "{", "}", "'", '"', "`", "@", "%", "|", ">", "&", "*", "!"),
    *("---\n", "...\n", "<<: ", "\\", "\\x", "\n", "\r", "\r\n", "\n\t", "\n ", "  "),
    *("9" * 5000, "a" * 30_000, "[" * 500, "{a: " * 60, "- " * 300, "? " * 200, "!" * 100, "*" * 40),
)

VALUES = (  # for any key
    *("", "~", "null", "[]", "{}", "[[]]", "[[[1]]]", "{a: b}", "[{}]", "[~]", "[null, 1]", "true", "No", "on", "y"),
    *("0", "-0", "-1", "0.5", "1.", ".5", "+7", "007", "0x1F", "0o17", "0b11", "1_000", "12:30:45", "190:20:30.15"),
    *("1e999", "-1e999", "1e-999", ".inf", "-.INF", ".nan", "0.1e", "0x", "0o", "0o_", "0b_", "_", "1__", "=", "<<"),
    *("9" * 4000, "9" * 5000, f"-{'9' * 5000}", f"0x{'f' * 5000}", f"0.{'3' * 5000}", f"{'1' * 400}.5", "1e99999999"),
    *("2026-01-01", "2026-99-99", "2026-01-01T25:61:61Z", "2026-01-01 00:00:00 +99:99", "0000-00-00"),
    *("'unclosed", '"unclosed', "'a''b'", '"\\ud800"', '"\\udfff\\ud800"', '"\\UFFFFFFFF"', '"\\U00110000"', '"\\xg"'),
    *('"\\x1b[2J"', '"\\0"', '"\\L\\P\\N\\_"', '"\\u202e"', '"a\\nb"', '"\\x9b31m"', "''", '""', '"<<"', "'*a'"),
    *("!!python/object/apply:os.system [ls]", "!!binary aGk=", "!!set {a}", "!!omap [a: 1]", "!!int a", "! x", "!l x"),
    *("!!timestamp 1", "!!null x", "!!float", "!<tag:x> 1", "!e!x 1", "!%41 1", "!!str 32", "!!merge x"),
    *("&a [*a]", "&a {b: *a}", "&a {<<: *a}", "*nowhere", "&a", "&a &b 1", "*a *b", "&a *a", "& 1", "* 1", "&é 1"),
    *("|\n  text", ">-\n  text", "|9\n text", "|0\n x", "|+-\n x", "? a", "- a", "- - - a", "@a", "`a`", "%a"),
    *("{{a}}", "{[1, 2]: 3}", "{? [a] : b}", "{a, b}", "{1: 2}", "{true: a}", "{null: a}", "{~: a}", "{.nan: a}"),
    *("{a: 1, a: 2}", "{<<: 1}", "{<<: [1]}", "{<<: }", "{<<: {a: 1}, <<: {b: 2}}", "{<<: [{variants: shfl}]}"),
    *("26x1024", "1x1", "0x0", "-1x32", "99999999999x32", "1x99999999999", "fill x 1024", "sms/0 x 32", "2*sms", "x"),
    *("8x8:16x16", "8x8x8x8:1", ":", "1x1:x", "99999999999x1:32", "8x99999:16x16", "[[8, 8]]", "[[8, [8]], [16]]"),
    *(
        "{grid: [8, 8], block: [16, 16]}",
        "{grid: [[8]], block: 16x16}",
        "{grid: sms, block: 8x8}",
        "{grid: x, block: x}",
    ),
    *("[1x32, 1 x 32]", "[1x32, [1x32]]", "{grid: 1}", "{grid: [], block: []}", "{grid: fill, block: 33}"),
    *("{grid: {grid: 1}, block: true}", "{0: 1x32}", "[{0: 1}]", _HUGE, f"[{_GRIDS}]", f"[{', '.join([_HUGE] * 3)}]"),
    *("f32", "[f32, f32]", "shfl", "neighbor", "./", ".", "..", "/", "./none", "/dev/null", "/dev/zero", "~/x", "./\\"),
    *(f"./{'a' * 300}", f"./{'a/' * 3000}", f"./{'../' * 400}", '"./a\\0b"', '"./\\ud800"', "./😀", "./suite.yaml"),
    *("0.5%", "0%", "5 %", "%5", "1e-1%", "1_0%", "\u0661%", "nan%", "inf%", "-1%", "0.5%%", f"{'9' * 500}%"),
    *("1%", ".2us", "0.2 µs", "0us", "101%", "1e3us", f"{'9' * 30_000}", f"{'9' * 30_000}x", f".{'0' * 400}1%"),
    *("{threshold: 1%}", "{cases: [{threshold: 1%, case: '*'}]}", "{threshold: 1us, case: '[!*'}", "[{threshold: 1%}]"),
    *("[warm, cold]", "[[warm]]", "[warm, {}]", "[0, 0]", "[0, '0']", "[0.0, -0.0]", "[true, 1]", "[1.0, 1]"),
    *("verified(shfl)", "verified(shlf)", "not verified(smem) or (", "time(shfl, l2=cold) > 1e999", f"{'(' * 30_000}"),
    *("{carveout: 0}", "{l2: cold}", "{extra_shared: 8}", "{skip: {}}", "{pattern: neighbor}", "[{variant: shfl}, {}]"),
    *("!!python/name:os.system", "\U0001f600", "\u202eabc", "\u0663", "İ", "ﬁ", "a\u2028b", "x" * 30_000),
    f"[{', '.join(f'w{number}' for number in range(3000))}]",
    f"{{{', '.join(f'k{number}: {number}' for number in range(3000))}}}",
    f"[{', '.join(['{variant: shfl}'] * 2000)}]",
)

KEYS = (  # for a key that is wanted, or beside it
    *("schema", "name", "title", "defaults", "measure", "experiments", "pattern", "variants", "dtypes", "launch"),
    *("iterations", "skip", "grid", "block", "precision", "min_seconds", "max_seconds", "min_samples", "max_samples"),
    *("processes", "timeout", "variant", "dtype", "carveout", "extra_shared", "l2", "mode", "width", "words", "length"),
    *("compare", "threshold", "cases", "case", "claims", "id", "says", "where", "holds", "measure", "untestable"),
    *("1", "true", "null", "~", "1.5", ".nan", "2026-01-01", "''", '"a\\nb"', '"\\ud800"', '"\\x1b[2J"', "k" * 2000),
    *("[a]", "{a: b}", "? [a]\n", "&k key", "*k ", "!!str key", "<<", '"<<"', "é", "\U0001f600", "-", "?", "lanuch"),
    *("0", "-1", "0x10", "claims", "__class__", "model_config", "options", "keys", "launches", "self", "values"),
)

ENTRIES = (  # that an experiment may have, if only the rest of it agrees
    *(
        "skip: {variant: shfl}",
        "skip: {variant: smem}",
        "skip: [{dtype: f32}, {dtype: i32}]",
        "skip: {launch: 26x1024}",
    ),
    *("skip: {carveout: 0}", "skip: {l2: cold}", "skip: {iterations: 4096}", "skip: {}", "skip: [{}, {}]"),
    *("carveout: [0, 100]", "extra_shared: 1024", "l2: [warm, cold]", "l2: cold", "extra_shared: 1048575"),
    *(
        "variants: shfl",
        "variants: [smem, shfl]",
        "dtypes: [f32, f64]",
        "dtypes: i8",
        "iterations: [1, 7]",
        "launch: 1x32",
    ),
    *("launch: fill x 1024", "launch: {grid: [1, 2], block: [32, 64]}", "pattern: count", "pattern: neighbor"),
    *(
        f"launch: {_HUGE}",
        f"iterations: [{_GRIDS}]",
        f"extra_shared: [{_GRIDS}]",
        f"launch: {{grid: [{_GRIDS}], block: 32}}",
    ),
    f"carveout: [{', '.join(map(str, range(101)))}]",
)

HEADS = (  # before a whole file
    *("\ufeff", "\ufeff\ufeff", "---\n", "...\n", "--- ", "\t", " ", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n"),
    *("%YAML 9.9\n---\n", "%YAML 1\n---\n", f"%YAML 1.{'9' * 5000}\n---\n", "%FOO bar\n---\n"),
    *("%TAG ! tag:x,2000:\n---\n", "%TAG !e! tag:x:\n---\n", "#\n" * 3000, "\n" * 3000, "#" * 100_000, "#\x00\n"),
    *(_COMPARE, _COMPARE, _COMPARE, _COMPARE.replace("cases", "case"), _CLAIMS, _CLAIMS.replace("shfl", "shlf")),
    f"l0: &l0 [lol]\n{_LAUGHS}",
    f"m0: &m0 {{a: 1}}\n{_MERGED_LAUGHS}",
    "r: &r [*r]\n",
    "r: &r {a: *r}\n",
    "r: &r {<<: *r}\n",
    "a: &a {a: 1}\nb: &a {a: 2}\nc: *a\n",
    *(f"{'[' * 20_000}\n", f"{'{a: ' * 5000}\n", f"{'- ' * 5000}\n", f"{'? ' * 5000}\n", f"a: {'b' * 300_000}\n"),
    *("".join(f"k{number}: {number}\n" for number in range(20_000)), f"a: [{'1, ' * 100_000}]\n"),
    *("schema: 1\n", "name: a\n", "experiments: []\n", "experiments: &e\n", "defaults: &d\n", "<<: {title: a}\n", "- "),
)
