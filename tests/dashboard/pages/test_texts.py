"""Pure parts of the pages: hidden characters, exports, axes, frames, addresses."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import RequestFactory

from dashboard import exports, times, words
from dashboard.queries import frames, places
from dashboard.queries.clock import Clock
from dashboard.queries.frames import Mark, Part
from dashboard.queries.lights import makes_known
from dashboard.queries.rules import pieces
from dashboard.queries.series import Samples
from dashboard.templatetags import journal as tags
from dashboard.views import params
from dashboard.visible import brief, hidden, plain

MINUTE = 60_000_000


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("plain ascii\tand\nlines", {}),
        ("zero\u200bwidth", {"U+200B": 1}),
        ("bidi \u202eevil", {"U+202E": 1}),
        ("\x1b[31mred", {"U+001B": 1}),
        ("tag \U000e0041", {"U+E0041": 1}),
        ("p\u0430yload", {"U+0430": 1}),
        ("слово", {}),
        ("no-break\u00a0space", {"U+00A0": 1}),
        ("line\u2028end\r", {"U+2028": 1, "U+000D": 1}),
        ("variation\ufe0f", {"U+FE0F": 1}),
    ],
)
def test_hidden_characters_are_counted_and_shown(text: str, codes: dict[str, int]) -> None:
    assert dict(hidden(text)) == codes
    for code in codes:
        assert f"[{code}]" in plain(text)
        assert code in tags.shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</textarea><a href='javascript:alert(1)'>x</a>",
        "<b hx-get=/settings hx-trigger=load>x</b>",
    ],
)
def test_markup_in_a_journal_is_text(text: str) -> None:
    assert "<" not in tags.shown(text)
    assert "<" not in tags.brief(text * 20).replace('<span title="', "").replace("</span>", "")


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\x00=1", "a,=1+1", 'a;@SUM("x")', " =1"]
)
def test_a_formula_is_defused_in_csv(text: str) -> None:
    row = next(csv.reader(io.StringIO(exports.csv_text(["head"], [[text]]).split("\r\n", 1)[1])))
    assert row[0].startswith("'")


@pytest.mark.parametrize("value", ["plain", "a-b", "user@example.org", 5, None, 2.5])
def test_what_is_no_formula_stays_in_csv(value: object) -> None:
    assert exports.cell(value) in {value, ""}


def test_markdown_has_no_live_character_left() -> None:
    text = exports.markdown("[x](javascript:alert(1)) <b>`code`</b> | # \u202e")
    assert "\\[x\\]\\(javascript:alert\\(1\\)\\)" in text
    assert "\\<b\\>" in text
    assert "[U+202E]" in text or "\\[U\\+202E\\]" in text


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("r-1", "../../etc/passwd"), "r-1-..-..-etc-passwd"),
        (('a"\r\nb',), "a-b"),
        (("",), "export"),
    ],
)
def test_a_file_name_is_safe(parts: tuple[str, ...], name: str) -> None:
    assert exports.file_name(*parts) == name


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (9, "9 s"),
        (60, "1 min 0 s"),
        (1013, "16 min 53 s"),
        (7200, "2 h 0 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_carries_its_units(seconds: int, text: str) -> None:
    assert times.lasting(seconds) == text


def test_a_word_that_no_table_knows_is_never_green() -> None:
    for table in words.SIGNS:
        assert words.sign(table, "something new").look == "unknown"
        assert words.sign(table, "").look == "unknown"


def samples(*minutes: int | None) -> Samples:
    seqs = list(range(1, len(minutes) + 1))
    return Samples(seqs, [None if m is None else m * MINUTE for m in minutes])


def test_on_the_time_axis_order_is_kept_although_the_clock_goes_back() -> None:
    clock = Clock(samples(0, 5, 3, 10), 4, "time")
    at = [clock.x(seq) for seq in (1, 2, 3, 4)]
    assert at == sorted(at)
    assert clock.x(3) == clock.x(2)


def test_a_number_without_a_time_stands_between_its_neighbours() -> None:
    clock = Clock(samples(0, None, 10), 3, "time")
    assert clock.x(1) < clock.x(2) < clock.x(3)


def test_idle_stretches_are_cut_and_named() -> None:
    clock = Clock(samples(0, 1, 241, 242), 4, "time", compress=True)
    assert clock.x(4) - clock.x(1) == 60 + 60 + 60
    assert [gap for _, gap in clock.idle] == [240 * 60]


def test_a_place_and_its_number_belong_together() -> None:
    clock = Clock(samples(*range(0, 100, 2)), 50, "time")
    for seq in (1, 17, 50):
        assert round(clock.seq(clock.x(seq))) == seq


@pytest.mark.parametrize(
    ("x0", "x1", "most", "texts"),
    [
        (1, 37, 9, ["1", "5", "10", "15", "20", "25", "30", "35"]),
        (
            1,
            1842,
            10,
            ["1", "200", "400", "600", "800", "1,000", "1,200", "1,400", "1,600", "1,800"],
        ),
        (500, 520, 5, ["500", "505", "510", "515", "520"]),
    ],
)
def test_ticks_are_round_numbers(x0: float, x1: float, most: int, texts: list[str]) -> None:
    ticks = Clock(samples(), 1, "order").ticks(x0, x1, most)
    assert [text for _, text in ticks] == texts


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("edit-812", ("edit", 812, 1)),
        ("effect-3.2", ("effect", 3, 2)),
        ("nothing-1", None),
        ("edit-", None),
        ("edit-1' or 1=1", None),
        ("edit-99999999999999999999", None),
    ],
)
def test_a_key_names_a_kind_and_a_number_or_nothing(key: str, place: object) -> None:
    found = places.parse(key)
    assert (tuple(found) if found else None) == place


def test_keys_of_rows_at_one_number_differ() -> None:
    keys = places.Counter("effect")
    assert [keys.key(seq) for seq in (4, 4, 5)] == ["effect-4", "effect-4.2", "effect-5"]


def test_what_is_folded_is_counted_and_can_be_opened() -> None:
    text = "\n".join(f"line {n}" for n in range(1, 1001))
    made = frames.frame("before", "Before", [Part("s1", text, (Mark(500, "out", "500"),))])
    folds = [line.fold for line in made.lines if line.fold]
    assert folds == ["s1", "lines 1 to 497 folded", "lines 503 to 1,000 folded"]
    opened = frames.frame("b", "B", [Part("s1", text)], view=frames.opened("0.600"))
    assert any(line.number == 700 for line in opened.lines)


def test_a_line_of_a_megabyte_is_cut_around_what_matters_and_counted() -> None:
    text = "x" * 600_000 + "max_retries: 0" + "y" * 400_000
    made = frames.frame("b", "B", [Part("", text, (Mark(1, "out", "max_retries: 0"),))])
    (line,) = [line for line in made.lines if line.number]
    assert ("max_retries: 0", True) in line.parts
    assert sum(len(piece) for piece, _ in line.parts) < 3_000
    assert line.more > 390_000
    assert "characters before" in line.parts[0][0]


@pytest.mark.parametrize("text", ["", "x", "1", "1.2.3.4", "-1.2", "1.1e5", "99999999999.1"])
def test_an_address_that_opens_nothing_opens_nothing(text: str) -> None:
    assert frames.opened(text) == frames.CLOSED


@pytest.mark.parametrize(
    ("query", "range_"),
    [
        ("", (1, 500)),
        ("from=10&to=20", (10, 20)),
        ("from=20&to=10", (1, 500)),
        ("from=abc&to=-3", (1, 500)),
        ("from=1e3&to=9999999999999999999", (1, 500)),
        ("from=400&to=9000", (400, 500)),
    ],
)
def test_a_range_that_is_none_is_the_whole_run(query: str, range_: tuple[int, int]) -> None:
    view = params.shown(RequestFactory().get(f"/?{query}"), 500)
    assert (view.first, view.last) == range_


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/x", "javascript:alert(1)", "\\\\evil"]
)
def test_a_form_never_leads_to_another_host(wanted: str) -> None:
    request = RequestFactory().post("/", {"next": wanted})
    assert params.place_to_go(request, "/safe") == "/safe"


def test_what_would_tell_is_taken_from_the_message() -> None:
    assert (
        makes_known("not known what is there; an observed event would tell") == "an observed event"
    )
    assert makes_known("proven") == ""


def test_code_in_a_rule_stands_between_backticks() -> None:
    assert pieces("lost `max_retries: 0`;") == [
        ("lost ", False),
        ("max_retries: 0", True),
        (";", False),
    ]


def test_a_long_id_keeps_its_beginning_and_its_end() -> None:
    assert brief("toolu_01AbCdEfGhIjKlMnOp") == "toolu_01AbC…MnOp"
    assert brief("e3") == "e3"
