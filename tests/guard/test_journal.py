"""Strict reading of `context-journal/1`: each row of `journal-format.md` 6 and 7 is a case here."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import random
from collections.abc import Iterable

import pytest

from guard import chain, journal, packing
from guard.canonical import canonical
from guard.errors import JournalError
from guard.events import Edit, Effect, Gate, Out, Span, Unknown
from guard.journal import encode, read, read_batch

HEADER = b'{"kind":"journal","format":"context-journal/1","id":"run-7"}\n'
SPAN = b'{"kind":"span","seq":1,"id":"s1","hash":"h:1"}\n'


def line(kind: str, **members: object) -> bytes:
    return json.dumps({"kind": kind, **members}, ensure_ascii=False).encode() + b"\n"


def effect(**members: object) -> bytes:
    return line("effect", **{"id": "x", "state": "planned", **members})


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


REFUSED = {
    "byte order mark": b"\xef\xbb\xbf" + SPAN,
    "UTF-16": SPAN.decode().encode("utf-16"),
    "overlong form": SPAN.replace(b"s1", b"\xc0\xaf"),
    "encoded surrogate": SPAN.replace(b"s1", b"\xed\xa0\x80"),
    "raw control character": SPAN.replace(b"s1", b"s\x01"),
    "raw NUL": SPAN.replace(b"s1", b"s\x00"),
    "escaped NUL in a value": SPAN.replace(b"s1", b"s\\u0000"),
    "escaped NUL in a name": SPAN.replace(b'"id"', b'"z\\u0000":1,"id"'),
    "lone surrogate": SPAN.replace(b"s1", b"\\ud800"),
    "surrogates in the wrong order": SPAN.replace(b"s1", b"\\udc00\\ud800"),
    "empty line": b"\n",
    "white space only": b" \t\r\n",
    "duplicate member": SPAN.replace(b'"id"', b'"id":"s0","id"'),
    "duplicate member in an unknown field": SPAN.replace(b'"id"', b'"z":[{"a":1,"a":1}],"id"'),
    "duplicate member by an escape": SPAN.replace(b'"id"', b'"\\u0069d":"s0","id"'),
    "NaN": SPAN.replace(b'"id"', b'"z":NaN,"id"'),
    "Infinity": SPAN.replace(b'"id"', b'"z":-Infinity,"id"'),
    "overflow": SPAN.replace(b'"id"', b'"z":-1e400,"id"'),
    "integer too big": SPAN.replace(b'"id"', b'"z":9007199254740992,"id"'),
    "integer too small": SPAN.replace(b'"id"', b'"z":-9007199254740992,"id"'),
    "integer of many digits": SPAN.replace(b'"id"', b'"z":' + b"1" * 5000 + b',"id"'),
    "fraction for an integer": SPAN.replace(b":1,", b":1.0,"),
    "exponent for an integer": SPAN.replace(b":1,", b":1e0,"),
    "string for an integer": SPAN.replace(b":1,", b':"1",'),
    "bool for an integer": SPAN.replace(b":1,", b":true,"),
    "seq 0": SPAN.replace(b":1,", b":0,"),
    "comment": SPAN.replace(b'"id"', b'/* */"id"'),
    "trailing comma": SPAN.replace(b"}", b",}"),
    "single quotes": SPAN.replace(b'"', b"'"),
    "two objects on one line": SPAN.replace(b"\n", b" ") + SPAN,
    "no object": b"[1]\n",
    "torn in the middle": SPAN[:20] + b"\n" + SPAN,
    "a second header": HEADER.replace(b"run-7", b"run-8"),
    "required field missing": line("span", seq=1, id="s1"),
    "required field null": line("span", seq=1, id="s1", hash=None),
    "empty id": line("span", seq=1, id="", hash="h"),
    "span id with #": line("span", seq=1, id="s#1", hash="h"),
    "span id with # in an edit": line(
        "edit", seq=1, id="e", op="drop", **{"in": ["s#1"]}, out=None
    ),
    "value not in the list": line("span", seq=1, id="s1", hash="h", role="robot"),
    "fact that is no string": line("span", seq=1, id="s1", hash="h", facts={"a:b": 1}),
    "edit without out": line("edit", seq=1, id="e", op="drop", **{"in": []}),
    "opaque that is no bool": line(
        "edit", seq=1, id="e", op="drop", **{"in": []}, out={"id": "d", "hash": "h", "opaque": 1}
    ),
    "before not after after": effect(after=3, before=3),
    "after beside seq": effect(seq=1, after=0),
    "before beside seq": effect(seq=1, before=4),
    "empty dependence": effect(seq=1, depends_on=[""]),
    "only an effect may be unnumbered": line("span", id="s1", hash="h"),
    "fork of main": line("fork", seq=1, branch="main", **{"from": "sub"}),
    "rollback with neither": line("rollback", seq=1, id="r"),
    "rollback with both": line("rollback", seq=1, id="r", edits=[], to=0),
    "request without edit": line("gate", seq=1, id="g", state="requested", by="a", digest="h"),
    "request without digest": line("gate", seq=1, id="g", state="requested", by="a", edit="e"),
    "approval without digest": line("gate", seq=1, id="g", state="approved", by="a"),
    "time without offset": line("seal", seq=1, at="2026-11-30T10:00:00"),
    "time in other digits": line("seal", seq=1, at="٢026-11-30T10:00:00Z"),
    "prev without chain": line("seal", seq=1, prev="0" * 64),
    "chain without prev": line("seal", seq=1, chain="0" * 64),
    "chain in upper case": line("seal", seq=1, prev="0" * 64, chain="A" * 64),
    "unknown kind without seq": line("vow"),
    "unknown kind with a bad branch": line("vow", seq=1, branch=3),
    "unknown kind with after": line("vow", seq=1, after=0),
    "no kind": b'{"seq":1}\n',
    "line too long": line("seal", seq=1, z="x" * (1 << 20)),
    "too deep": line("seal", seq=1, z=nested(64)),
    "too deep to parse": b'{"kind":"seal","z":' + b"[" * 200_000 + b"\n",
    "too many values": line("seal", seq=1, z=[0] * 19_998),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_line_is_named_with_its_number(case: str) -> None:
    with pytest.raises(JournalError) as refusal:
        read(HEADER + SPAN.replace(b":1,", b":9,") + REFUSED[case] + SPAN)
    assert refusal.value.line == 3
    assert refusal.value.reason


ACCEPTED = {
    "separators and marks": SPAN.replace(b"s1", "\u2028\u2029\ufeff\u202e\U0010ffff".encode()),
    "escaped pair": SPAN.replace(b"s1", b"\\ud83d\\ude00"),
    "escaped backslash before u0000": SPAN.replace(b"s1", b"\\\\u0000"),
    "white space": SPAN.replace(b"\n", b"\r\n").replace(b'":', b'" :\t '),
    "unknown field": line("seal", seq=1, z={"a": [1.5, None]}),
    "null is absence": line("span", seq=1, id="s1", hash="h", role=None, source={"path": None}),
    "out null": line("edit", seq=1, id="e", op="drop", **{"in": []}, out=None),
    "digest null": line("gate", seq=1, id="g", state="approved", by="a", digest=None),
    "the same header": HEADER,
    "biggest integer": line("seal", seq=9007199254740991),
    "at the limit of size": line("seal", seq=1, z="x" * ((1 << 20) - 35)),
    "at the limit of depth": line("seal", seq=1, z=nested(63)),
    "at the limit of values": line("seal", seq=1, z=[0] * 19_997),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_line_at_the_edge_is_accepted(case: str) -> None:
    assert read(HEADER + ACCEPTED[case]).torn is None


def test_the_limits_are_met_exactly_by_the_cases_above() -> None:
    assert len(ACCEPTED["at the limit of size"]) == (1 << 20) + 1


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"", 1),
        (b"\n", 1),
        (SPAN, 1),
        (HEADER[:20], 1),
        (HEADER.replace(b"/1", b"/2"), 1),
        (HEADER.replace(b'"id"', b'"seq":1,"id"'), 1),
        (HEADER.replace(b"}", b',"checkpoint":{"count":1,"hash":"zz"}}'), 1),
        (HEADER.replace(b"}", b',"ledger":[[0,3]]}'), 1),
        (HEADER + SPAN + b" ", 3),
    ],
)
def test_a_file_without_a_good_header_or_end_is_refused(data: bytes, at: int) -> None:
    with pytest.raises(JournalError) as refusal:
        read(data)
    assert refusal.value.line == at


def test_a_header_alone_is_a_journal_without_events() -> None:
    opened = read(HEADER)
    assert (opened.header.id, opened.numbered, opened.unnumbered) == ("run-7", (), ())


@pytest.mark.parametrize("cut", [1, 20, len(SPAN) - 2])
def test_a_torn_last_line_is_quarantined_with_its_bytes(cut: int) -> None:
    opened = read(HEADER + SPAN.replace(b":1,", b":2,") + SPAN[:cut])
    assert opened.torn == journal.Torn(3, SPAN[:cut])
    assert [event.seq for event in opened.numbered] == [2]


def test_a_last_line_may_end_inside_a_character() -> None:
    torn = SPAN.replace(b"s1", "é".encode())
    assert read(HEADER + torn[: torn.index(b"\xc3") + 1]).torn is not None


def test_a_complete_last_line_needs_no_newline() -> None:
    assert len(read(HEADER + SPAN.removesuffix(b"\n")).numbered) == 1


def test_the_order_and_number_of_arrivals_have_no_say() -> None:
    lines = [
        SPAN,
        line("span", seq=2, id="a", hash="h", text="one"),
        line("span", seq=2, id="a", hash="h", text="two"),
        effect(after=1, state="committed"),
        effect(after=1, state="held"),
        effect(after=1, state="held", z=1),
        line("vow", seq=3),
    ]
    first = read(HEADER + b"".join(lines), keep_text=True)
    assert first.forks == (2,)
    assert [event.text for event in first.numbered if isinstance(event, Span)] == [
        None,
        "one",
        "two",
    ]
    assert [step.state for step in first.unnumbered] == ["held", "held", "committed"]
    for order in itertools.islice(itertools.permutations(lines + lines[:3]), 0, 40_000, 997):
        assert read(iter([HEADER, *order, HEADER]), keep_text=True) == first


def test_the_same_event_in_another_spelling_is_one_event() -> None:
    spelled = b'{"hash":"h:\\u0031", "id":"s1", "seq":1, "kind":"span"}\r\n'
    assert len(read(HEADER + SPAN + spelled).numbered) == 1


def test_a_null_member_makes_another_event_of_the_same_number() -> None:
    assert read(HEADER + SPAN + SPAN.replace(b"}", b',"text":null}')).forks == (1,)


def test_texts_are_dropped_unless_they_are_asked_for() -> None:
    lines = HEADER + line("span", seq=1, id="s1", hash="h", text="long")
    lines += line(
        "edit", seq=2, id="e", op="drop", **{"in": []}, out={"id": "d", "hash": "h", "text": "t"}
    )
    for keep in (False, True):
        span, edit = read(lines, keep_text=keep).numbered
        assert isinstance(span, Span)
        assert isinstance(edit, Edit)
        assert edit.out is not None
        assert (span.text, edit.out.text) == (("long", "t") if keep else (None, None))


def test_an_unknown_kind_is_a_named_skip() -> None:
    (skip,) = read(HEADER + line("vow", seq=1, to="x")).numbered
    assert isinstance(skip, Unknown)
    assert (skip.kind, skip.seq) == ("vow", 1)


def chained(events: Iterable[dict[str, object]]) -> list[bytes]:
    prev, lines = chain.START, []
    for members in events:
        head = chain.link(prev, members)
        lines.append(json.dumps({**members, "prev": prev, "chain": head}).encode() + b"\n")
        prev = head
    return lines


EVENTS: list[dict[str, object]] = [
    {"kind": "span", "seq": 1, "id": "s1", "hash": "h", "z": 1.5, "\U0001f600": 1, "\ufb33": 2},
    {"kind": "seal", "seq": 2},
    {"kind": "seal", "seq": 3, "at": None},
    {"kind": "seal", "seq": 4},
]


def test_a_whole_chain_holds() -> None:
    assert read(HEADER + b"".join(chained(EVENTS))).broken == ()


@pytest.mark.parametrize(
    ("broken", "at"),
    [
        (lambda lines: [lines[0], lines[1].replace(b'"seal"', b'"vow"'), *lines[2:]], (2,)),
        (lambda lines: [lines[0], b'{"kind":"seal","seq":2}\n', *lines[2:]], (2,)),
        (lambda lines: [*lines[:2], *chained([EVENTS[2]]), lines[3]], (3, 4)),
        (lambda lines: chained([{**EVENTS[1], "seq": 1}]) + lines[1:], (2,)),
        (lambda lines: [lines[0], lines[2], lines[3]], ()),
        (lambda lines: lines[1:], ()),
    ],
)
def test_a_chain_breaks_where_it_was_changed(broken: object, at: tuple[int, ...]) -> None:
    assert callable(broken)
    assert read(HEADER + b"".join(broken(chained(EVENTS)))).broken == at


def test_the_first_event_starts_the_chain_from_zeros() -> None:
    members = {"kind": "seal", "seq": 1}
    head = chain.link("1" * 64, members)
    assert read(HEADER + line(**members, prev="1" * 64, chain=head)).broken == (1,)


def test_the_canonical_form_is_that_of_rfc_8785() -> None:
    value = {"\U0001f600": [1e21, -0.0, 0.002], "\ufb33": "\x7f\u2028\x01\n/", "a": {"b": 10.0}}
    expected = '{"a":{"b":10},"\U0001f600":[1e+21,0,0.002],"\ufb33":"\x7f\u2028\\u0001\\n/"}'
    assert canonical(value) == expected.encode()
    assert (
        canonical({"b": [True, None, -5], "a": 'é"\\'})
        == '{"a":"é\\"\\\\","b":[true,null,-5]}'.encode()
    )


def test_what_is_written_is_read_again_as_it_was() -> None:
    events = [
        Span(seq=1, id="s1", hash="h", facts={"c:k": "0"}),
        Edit(seq=2, id="e", op="evict", in_=["s1"], out=None),
        Edit(seq=3, id="f", op="summarize", in_=[], out=Out(id="d", hash="h", opaque=True)),
        Gate(seq=4, id="g", state="requested", by="a", edit="e"),
        Gate(seq=5, id="g", state="rejected", by="b"),
        Effect(id="x", state="held", reversibility="deferred", depends_on=[], after=2, before=4),
    ]
    opened = read(HEADER + b"".join(map(encode, events)))
    assert [*opened.numbered, *opened.unnumbered] == events
    assert encode(opened.header) == HEADER
    assert b'"digest":null' in encode(events[3])
    assert b'"digest"' not in encode(events[4])


def test_a_batch_is_whole_or_nothing() -> None:
    body = HEADER + SPAN
    assert read_batch(gzip.compress(body), encoding="gzip") == read_batch(body) == read(body)
    assert read_batch(SPAN, header=HEADER) == read(body)
    with pytest.raises(JournalError) as torn:
        read_batch(SPAN + SPAN[:9], header=HEADER)
    assert torn.value.line == 2


def test_a_batch_may_hold_as_many_events_as_the_limit_and_no_more() -> None:
    seals = [b'{"kind":"seal","seq":%d}\n' % number for number in range(1, 10_001)]
    assert len(read_batch(HEADER + b"".join(seals[:9_999])).numbered) == 9_999
    with pytest.raises(packing.TooLarge):
        read_batch(HEADER + b"".join(seals))
    assert len(read(HEADER + b"".join(seals)).numbered) == 10_000


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(gzip.compress(HEADER)), "gzip"),
        (gzip.compress(HEADER), "identity"),
        (gzip.compress(HEADER)[:-9], "gzip"),
        (gzip.compress(HEADER) + b"junk", "gzip"),
        (HEADER, "gzip"),
        (HEADER, "br"),
        (HEADER, "gzip, gzip"),
    ],
)
def test_only_one_layer_of_gzip_is_unpacked(body: bytes, encoding: str) -> None:
    with pytest.raises(JournalError):
        packing.unpack([body], encoding)


def test_a_packed_body_is_refused_before_it_is_made() -> None:
    bomb = gzip.compress(b"\0" * (packing.MAX_UNPACKED_BYTES + 1), 1)
    with pytest.raises(packing.TooLarge, match="unpacked"):
        packing.unpack([bomb], "gzip")
    endless = itertools.repeat(b"x" * (1 << 20))
    with pytest.raises(packing.TooLarge, match="packed"):
        packing.unpack(endless)


def test_the_parts_of_a_packed_body_may_come_in_any_pieces() -> None:
    many = gzip.compress(b"\n") * 60_000
    assert packing.unpack([many], "gzip") == b"\n" * 60_000
    body = gzip.compress(HEADER) + gzip.compress(SPAN)
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    assert packing.unpack(pieces, "gzip") == HEADER + SPAN


def test_a_forged_repeat_deep_in_a_long_journal_is_a_fork() -> None:
    spans = [line("span", seq=n, id=f"s{n}", hash="h", text="t" * 50) for n in range(1, 400)]
    forged = spans[57].replace(b"ttt", b"tut", 1)
    shuffled = [*spans, *spans[:90], forged]
    random.Random(7).shuffle(shuffled)
    opened = read(iter([HEADER, *shuffled]))
    assert opened.forks == (58,)
    assert len(opened.numbered) == 400


def test_hash_names_of_contents_are_not_looked_into() -> None:
    text = "content"
    wrong = hashlib.sha256(b"other").hexdigest()
    opened = read(HEADER + line("span", seq=1, id="s", hash=f"sha256:{wrong}", text=text))
    assert len(opened.numbered) == 1
