"""Hands as pictures: plain cards drawn by code, beside a text that says the same.

Each card is rendered once, large, and scaled down with a fixed palette; a hand is these small cards side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from io import BytesIO
from itertools import groupby
from typing import Any, Final

import discord
from discord import ui
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Pen = ImageDraw.ImageDraw

NAME: Final = 'hand.png'
ALT: Final = 1024
"""The longest description of a picture; Discord's limit."""
IN_A_LINE: Final = 7
"""The most cards side by side: more could not be read on a telephone."""
KEPT: Final = 256
"""How many finished pictures are kept, some 10 kB each: several messages may show the same one."""
COMPRESSION: Final = 2
"""Three times as fast as 6, for a third more bytes."""

_CARD: Final = (84, 116)
_TILE: Final = (92, 126)
"""A card and the ground around it, in pixels."""
_EDGE: Final = 6
_LARGE: Final = 4
"""How many times larger a card is rendered first."""
_GROUND: Final = (0x1F, 0x3D, 0x33)
_PAPER: Final = (0xFB, 0xFA, 0xF5)
_LINE: Final = (0xB9, 0xB4, 0xA5)
_INKS: Final = {
    'black': (0x1A, 0x1A, 0x1A),
    'red': (0xC6, 0x1F, 0x2B),
    'blue': (0x15, 0x5F, 0xBD),
    'green': (0x1B, 0x7A, 0x3E),
    'yellow': (0xB8, 0x7A, 0x00),
    'violet': (0x6B, 0x2F, 0xA0),
    'orange': (0xC2, 0x4E, 0x12),
    'grey': (0x5B, 0x60, 0x66),
}
_SUITS: Final = {'S': 'spade', 'C': 'club', 'D': 'diamond', 'H': 'heart'}
_SHADES: Final = 6
"""Steps of the palette from one colour to another."""
_ASCII: Final = str.maketrans({'–': '-', '’': "'", '‘': "'"})
"""The font knows no others."""


@dataclass(frozen=True, slots=True)
class Art:
    """What is printed on one card. Colour never says more than the texts do."""

    corner: str = ''
    """Top left, at most three characters."""
    ink: str = 'black'
    """The name of a colour."""
    sign: str = ''
    """A shape in the middle: `spade`, `heart`, `club`, `diamond`, `star`, `panel` (a coloured ground for `middle`), or `back` for a card
    that is face down."""
    middle: str = ''
    """A text in the middle: a number, or a name of several words."""
    foot: str = ''
    """Bottom right, small."""
    band: bool = False
    """Whether `corner` and `foot` stand in a coloured band at the top."""
    copies: int = 1
    """How many such cards are stacked here."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A hand to render: rows of cards, and the same in words for those who cannot see it."""

    rows: tuple[tuple[Art, ...], ...]
    alt: str

    @classmethod
    def of(cls, rows: Iterable[Sequence[Art]], alt: str) -> Picture | None:
        """Leaves out rows without cards, and stacks equal cards that are side by side. None when there is no card."""
        laid = tuple(tuple(replace(art, copies=len(list(equal))) for art, equal in groupby(row)) for row in rows if row)
        return cls(laid, alt if len(alt) <= ALT else alt[: ALT - 1] + '…') if laid else None

    @property
    def gallery(self) -> ui.MediaGallery[Any]:
        """The place in a message where it is shown."""
        return ui.MediaGallery(discord.MediaGalleryItem(f'attachment://{NAME}', description=self.alt))


def playing_card(code: str, *, four_colours: bool = True) -> Art:
    """A card of the ordinary pack, from its code such as `TH`; with two colours where only red and black matter."""
    suit = code[1]
    inks = {'S': 'black', 'C': 'green', 'D': 'blue', 'H': 'red'} if four_colours else {'S': 'black', 'C': 'black', 'D': 'red', 'H': 'red'}
    return Art('10' if code[0] == 'T' else code[0], inks[suit], _SUITS[suit], foot=suit)


def pictured(view: ui.LayoutView) -> bool:
    """Whether a message shows a picture."""
    return any(isinstance(item, ui.MediaGallery) for item in view.walk_children())


@lru_cache(KEPT)
def render(rows: tuple[tuple[Art, ...], ...]) -> bytes:
    """These rows of cards as a PNG file, always of the same width, so that cards keep their size."""
    lines = [(number, row[start : start + IN_A_LINE]) for number, row in enumerate(rows) for start in range(0, len(row), IN_A_LINE)]
    size = (IN_A_LINE * _TILE[0] + 2 * _EDGE, len(lines) * _TILE[1] + (len(rows) + 1) * _EDGE)
    image = Image.new('P', size, 0)
    image.putpalette(_palette())
    for line, (number, arts) in enumerate(lines):
        for column, art in enumerate(arts):
            image.paste(_tile(art), (_EDGE + column * _TILE[0], (number + 1) * _EDGE + line * _TILE[1]))
    file = BytesIO()
    image.save(file, 'PNG', compress_level=COMPRESSION)
    return file.getvalue()


@cache
def _palette() -> bytes:
    """The colours of every picture: the ground first, then the shades between the colours that meet on a card."""
    colours = [_GROUND, _PAPER, _LINE, *_INKS.values()]
    pairs = [(ink, _PAPER) for ink in _INKS.values()] + [(_LINE, _PAPER), (_LINE, _GROUND), (_PAPER, _GROUND)]
    for first, second in pairs:
        for step in range(1, _SHADES):
            share = step / _SHADES
            colours.append(tuple(round(a + (b - a) * share) for a, b in zip(first, second, strict=True)))  # type: ignore[arg-type]
    return bytes(value for colour in colours for value in colour)


@cache
def _tile(art: Art) -> Image.Image:
    """One card on the ground, with the palette of all."""
    scale = _LARGE
    image = Image.new('RGB', (_TILE[0] * scale, _TILE[1] * scale), _GROUND)
    pen = ImageDraw.Draw(image)
    left, top = (_TILE[0] - _CARD[0]) // 2, (_TILE[1] - _CARD[1]) // 2
    for behind in range(min(art.copies - 1, 2), -1, -1):
        _paper(pen, left + 2 * behind, top - 2 * behind)
    if art.sign == 'back':
        _back(pen, art, left, top)
    else:
        _face(pen, art, left, top)
    if art.copies > 1:
        middle = (left + _CARD[0] - 18, top + _CARD[1] - 16)
        _box(pen, (middle[0] - 18, middle[1] - 12, middle[0] + 18, middle[1] + 12), 8, _INKS['black'])
        _text(pen, f'x{art.copies}', middle, 18, _PAPER)
    small = image.resize(_TILE, Image.Resampling.LANCZOS)
    colours = Image.new('P', (1, 1))
    colours.putpalette(_palette())
    return small.quantize(palette=colours, dither=Image.Dither.NONE)


def _box(pen: Pen, box: tuple[float, float, float, float], radius: float, fill: Colour, line: Colour | None = None) -> None:
    pen.rounded_rectangle([side * _LARGE for side in box], radius * _LARGE, fill=fill, outline=line, width=_LARGE if line else 0)


def _paper(pen: Pen, left: float, top: float) -> None:
    _box(pen, (left, top, left + _CARD[0], top + _CARD[1]), 8, _PAPER, _LINE)


def _back(pen: Pen, art: Art, left: float, top: float) -> None:
    _box(pen, (left + 5, top + 5, left + _CARD[0] - 5, top + _CARD[1] - 5), 5, _INKS['violet'])
    for step in range(1, 6):
        side = 5 + step * 6
        _box(pen, (left + side, top + side, left + _CARD[0] - side, top + _CARD[1] - side), 3, _INKS['violet'], _PAPER)
    _box(pen, (left + 22, top + 42, left + _CARD[0] - 22, top + _CARD[1] - 42), 6, _INKS['violet'])
    _text(pen, art.foot, (left + _CARD[0] / 2, top + _CARD[1] / 2), 26, _PAPER)


def _face(pen: Pen, art: Art, left: float, top: float) -> None:
    ink = _INKS[art.ink]
    right, bottom, centre = left + _CARD[0], top + _CARD[1], left + _CARD[0] / 2
    if art.band:
        _box(pen, (left + 4, top + 4, right - 4, top + 30), 5, ink)
        _text(pen, art.corner, (left + 10, top + 17), 20, _PAPER, 'lm')
        _text(pen, art.foot, (right - 10, top + 17), 20, _PAPER, 'rm')
        _name(pen, art.middle, (centre, (top + 32 + bottom) / 2), _CARD[0] - 10, _CARD[1] - 40, _INKS['black'])
        return
    _text(pen, art.corner, (left + 7, top + 20), 30, ink, 'lm')
    _text(pen, art.foot, (right - 7, bottom - 14), 18, ink, 'rm')
    middle = (centre, top + 68)
    if art.sign == 'panel':
        _box(pen, (centre - 26, middle[1] - 26, centre + 26, middle[1] + 26), 8, ink)
    elif art.sign:
        _shape(pen, art.sign, middle, 25, ink)
    if art.middle:
        colour = _PAPER if art.sign == 'panel' else ink
        if len(art.middle) <= 2:
            _text(pen, art.middle, middle, 44, colour)
        else:
            _name(pen, art.middle, middle, _CARD[0] - 10, 50, colour)


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * _LARGE)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _text(pen: Pen, text: str, place: tuple[float, float], size: float, colour: Colour, anchor: str = 'mm') -> None:
    """One line, rather bold."""
    pen.text(
        (place[0] * _LARGE, place[1] * _LARGE),
        text.translate(_ASCII),
        colour,
        _font(size),
        anchor,
        stroke_width=round(size * _LARGE / 40),
        stroke_fill=colour,
    )


def _name(pen: Pen, text: str, place: tuple[float, float], width: float, height: float, colour: Colour) -> None:
    """A name, broken between words and as large as it fits, around a place."""
    words = text.translate(_ASCII).split()
    for size in range(22, 8, -1):
        lines: list[str] = []
        for word in words:
            longer = f'{lines[-1]} {word}' if lines else word
            if lines and _font(size).getlength(longer) <= width * _LARGE:
                lines[-1] = longer
            else:
                lines.append(word)
        step = size * 1.15
        if len(lines) * step <= height and all(_font(size).getlength(line) <= width * _LARGE for line in lines):
            break
    for number, line in enumerate(lines):
        _text(pen, line, (place[0], place[1] + (number - (len(lines) - 1) / 2) * step), size, colour)


def _shape(pen: Pen, sign: str, place: tuple[float, float], size: float, colour: Colour) -> None:
    """A shape around a place; `size`: half its height."""

    def polygon(*points: tuple[float, float]) -> None:
        pen.polygon([((place[0] + size * x) * _LARGE, (place[1] + size * y) * _LARGE) for x, y in points], fill=colour)

    def disc(x: float, y: float, radius: float) -> None:
        left, top = place[0] + size * (x - radius), place[1] + size * (y - radius)
        pen.ellipse([side * _LARGE for side in (left, top, left + 2 * size * radius, top + 2 * size * radius)], fill=colour)

    if sign == 'diamond':
        polygon((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
    elif sign == 'star':
        turns = [math.pi * step / 5 for step in range(10)]
        polygon(*((math.sin(turn) * far, -math.cos(turn) * far) for turn, far in zip(turns, (1.1, 0.45) * 5, strict=True)))
    elif sign == 'heart':
        disc(-0.44, -0.4, 0.48)
        disc(0.44, -0.4, 0.48)
        polygon((-0.885, -0.215), (0.885, -0.215), (0, 1), (0, 1))
    elif sign == 'spade':
        disc(-0.44, 0.22, 0.46)
        disc(0.44, 0.22, 0.46)
        disc(0, 0.1, 0.3)
        polygon((-0.86, 0.03), (0, -1), (0.86, 0.03))
        polygon((0, 0.1), (0.36, 1), (-0.36, 1))
    else:
        disc(0, -0.52, 0.46)
        disc(-0.5, 0.24, 0.46)
        disc(0.5, 0.24, 0.46)
        disc(0, 0, 0.3)
        polygon((0, -0.3), (0.36, 1), (-0.36, 1))
