"""Tags for pages: signs, times, numbers, hashes, and journal text with its hidden characters shown.

Every tag escapes what it is given. Markup is made here and in templates only, never from data.
"""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from dashboard import times, visible, words

register = template.Library()

LINE_LIMIT = 2_000


@register.simple_tag
def icon(name: str, look: str = "") -> SafeString:
    """A symbol of the sprite, hidden from screen readers: the word beside it speaks."""
    tone = f" t-{look}" if look in {"ok", "warn", "danger", "gate"} else ""
    return format_html(
        '<svg class="i{}" aria-hidden="true"><use href="#i-{}"/></svg>', tone, name or "unknown"
    )


@register.simple_tag
def sign_icon(table: str, value: str | None) -> SafeString:
    """Only the icon of a closed-set word, with the word for screen readers."""
    sign = words.sign(table, value)
    return format_html('{}<span class="sr">{}</span>', icon(sign.icon, sign.look), sign.word)


@register.simple_tag
def badge(table: str, value: str | None, note: str = "") -> SafeString:
    """The badge of a closed-set word."""
    return _badge(words.sign(table, value), note)


@register.simple_tag
def sign_badge(sign: words.Sign, note: str = "") -> SafeString:
    """The badge of a sign that a query chose."""
    return _badge(sign, note)


def _badge(sign: words.Sign, note: str = "") -> SafeString:
    look = "" if sign.look == "plain" else f" is-{sign.look}"
    shape = icon(sign.icon) if sign.icon else SafeString("")
    text = f"{sign.word}, {note}" if note else sign.word
    return format_html('<span class="badge{}">{}{}</span>', look, shape, text)


@register.simple_tag
def mark(status: str, number: int | None = None) -> SafeString:
    """The mark of a fact: icon, word, and how many when a number is given."""
    sign = words.sign("fact", status)
    text = sign.word if number is None else f"{number:,} {sign.word}"
    return format_html('<span class="mark is-{}">{}{}</span>', status, icon(sign.icon), text)


@register.simple_tag
def five(verdict: object) -> SafeString:
    """The five lights as five icons in fixed order, with their words for screen readers."""
    signs = [(name, words.sign(name, getattr(verdict, name, None))) for name in words.LIGHTS]
    looks = format_html_join(
        "", '<span class="five-{}">{}</span>', ((s.look, icon(s.icon, s.look)) for _, s in signs)
    )
    said = ", ".join(f"{words.LIGHT_NAMES[name].lower()} {s.word}" for name, s in signs)
    return format_html('<span class="five">{}<span class="sr">{}</span></span>', looks, said)


@register.filter
def shown(value: object) -> SafeString:
    """Journal text: escaped, hidden characters as chips with their code."""
    text = "" if value is None else str(value)
    return format_html_join("", "{}", ((_piece(piece),) for piece in visible.pieces(text)))


def _piece(piece: visible.Piece) -> SafeString:
    if not piece.code:
        return escape(piece.text)
    seen = "" if visible.is_hidden(piece.text) else piece.text
    return format_html('{}<span class="hid">{}</span>', seen, piece.code)


@register.filter
def plain(value: object) -> str:
    """Journal text where no chip may stand, as in a title: hidden characters as `[U+200B]`."""
    return visible.plain(str(value))


@register.filter
def cut(value: object, limit: int = LINE_LIMIT) -> str:
    """The first `limit` characters; what is left out is counted, never silently lost."""
    text = "" if value is None else str(value)
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … {len(text) - limit:,} more characters"


@register.filter
def brief(value: object, limit: int = 16) -> SafeString:
    """A long id by its beginning and its end, hidden characters shown; the whole on hover."""
    text = "" if value is None else str(value)
    if len(text) <= limit:
        return shown(text)
    whole = visible.plain(text[:400])
    return format_html('<span title="{}">{}</span>', whole, shown(visible.brief(text, limit)))


@register.filter
def num(value: int | str | None) -> str:
    """A whole number with separators; nothing known (None, or empty in a template) is `?`."""
    return f"{value:,}" if isinstance(value, int) else "?"


@register.filter
def tokens(value: int | None) -> str:
    """Tokens, or that nobody counted them."""
    return f"{value:,}" if isinstance(value, int) else "not counted"


@register.filter
def size(value: int | None) -> str:
    """Bytes with a unit."""
    if value is None:
        return "?"
    for unit, step in (("bytes", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)):
        if value < step * 1_000 or unit == "GB":
            return f"{value:,} bytes" if step == 1 else f"{value / step:,.1f} {unit}"
    raise AssertionError(value)


@register.filter
def moment(value: datetime | None) -> SafeString:
    """An instant with date and zone, in the reader's zone."""
    if value is None:
        return SafeString("no time given")
    return format_html(
        '<time datetime="{}">{}</time>', value.astimezone(UTC).isoformat(), times.stamp(value)
    )


@register.filter
def journal_moment(text: str) -> SafeString:
    """A time as a journal gives it: in the reader's zone when it is one, else as it stands."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return shown(text)
    return moment(found) if found.tzinfo else shown(text)


@register.filter
def epoch_ms(value: datetime) -> int:
    """An instant in milliseconds, for countdowns."""
    return int(value.timestamp() * 1000)


register.filter("lasting", times.lasting)


@register.simple_tag
def age(since: datetime | None) -> str:
    """How long ago: `43 min 2 s`."""
    return times.lasting(None if since is None else timezone.now() - since)


@register.simple_tag
def time_left(until: datetime | None) -> str:
    """How long it still goes on; `no time` when it is over."""
    if until is None:
        return "?"
    left = until - timezone.now()
    return times.lasting(left) if left.total_seconds() > 0 else "no time"


@register.simple_tag
def hash_button(value: str | None) -> SafeString:
    """A hash, shortened, with a button that copies all of it."""
    if not value:
        return SafeString('<span class="quiet">none</span>')
    return format_html(
        '<button type="button" class="copy" data-copy="{}">'
        '<span class="sr">Copy the full hash, </span>{}{}</button>',
        value,
        short_hash(value),
        icon("copy"),
    )


@register.filter
def short_hash(value: str) -> str:
    """`sha256 41d8…07ce` of `sha256:41d8…`; a short hash stays whole."""
    name, colon, digits = value.rpartition(":")
    known = colon and name.isalnum() and len(name) <= 8
    body = digits if known else value
    body = visible.plain(body if len(body) <= 14 else f"{body[:4]}…{body[-4:]}")
    return f"{name} {body}" if known else body


@register.filter
def path_part(value: object) -> str:
    """An id as one part of an address."""
    return quote(str(value), safe="")


@register.filter
def op_noun(value: str) -> str:
    """The noun of an edit's `op`."""
    return words.OPS.get(value, value)


@register.filter
def listed(values: list[str] | None) -> SafeString:
    """Ids with commas, or `none`."""
    if not values:
        return SafeString('<span class="quiet">none</span>')
    return format_html_join(", ", '<span class="id">{}</span>', ((shown(v),) for v in values))


@register.filter(name="words")
def split_words(text: str) -> list[str]:
    """A literal list in a template: `"error warning info"|words`."""
    return text.split()


@register.filter
def plural(number: int, noun: str) -> str:
    """`1 edit`, `2 edits`."""
    return words.count(number, noun)


@register.filter
def get(mapping: dict[str, object], key: str) -> object:
    """A member of a mapping whose name is only known when the page is drawn."""
    return mapping.get(key)


@register.simple_tag
def look_of(table: str, value: str | None) -> SafeString:
    """The class of a light or a row: `is-danger`."""
    return mark_safe(f"is-{words.sign(table, value).look}")  # noqa: S308 - closed set of looks


@register.simple_tag(takes_context=True)
def without(context: Context, name: str) -> str:
    """This address with one filter taken away."""
    query = context["request"].GET.copy()
    for part in (name, "page", "part", "opened"):
        query.pop(part, None)
    return f"?{query.urlencode()}"


@register.simple_tag(takes_context=True)
def open_fold(context: Context, name: str, value: str) -> str:
    """The address that opens a fold of a frame and keeps what else the address says."""
    query = context["request"].GET.copy()
    query[name] = value
    return f"{context.get('frame_base', '')}?{query.urlencode()}#{name}"


@register.simple_tag(takes_context=True)
def sort_head(context: Context, text: str, name: str, sort: str, look: str = "") -> SafeString:
    """A table head that sorts; a second click turns the order round."""
    query = context["request"].GET.copy()
    for part in ("page", "part", "opened"):
        query.pop(part, None)
    here = sort.removeprefix("-") == name
    down = sort.startswith("-")
    query["sort"] = name if here and down else f"-{name}"
    order = ("descending" if down else "ascending") if here else ""
    return format_html(
        '<th{}{}><a href="?{}">{}{}</a></th>',
        format_html(' class="{}"', look) if look else "",
        format_html(' aria-sort="{}"', order) if order else "",
        query.urlencode(),
        text,
        (" ↓" if down else " ↑") if here else "",
    )
