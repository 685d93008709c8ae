"""Generated values: what to try for an input before anything is known, and small changes to what is known.

Both work on the values of an Assignment, so they serve every shape of input.
"""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ramify.runtime.proposals.characters import kinds
from ramify.runtime.proposals.lessons import Lessons
from ramify.runtime.solver.regexes import written
from ramify.runtime.terms import BOOL, FLOAT, INT, STR, Assignment, InputKind, Sort, integer, kind_of, named

_T = TypeVar("_T")

INTS = (
    0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 16, 20, 31, 32, 64, 99, 100, 127, 128, 255, 256, 365, 400, 1000,
    1024, 1900, 1999, 2000, 2023, 2024, 2100, -2, -3, -7, -10, -100,
)  # fmt: skip
LARGE_INTS = (65535, 65536, 10**6, 2**31 - 1, 2**31, -(2**31), 2**63, 10**12)  # seldom: work may grow with them
FLOATS = (
    0.0, 1.0, -1.0, 0.5, -0.5, 0.1, 1.5, 2.0, 3.0, 10.0, 100.0, -2.5, 1e-9, 1e9, 1e300, -1e300, 0.25, 0.75, 2.5,
    math.inf, -math.inf, math.nan, -0.0, 180.0, 360.0, 90.0, 3.7, 1e-300, sys.float_info.max, 5e-324,
)  # fmt: skip
ALPHABETS = (
    "ab",
    "abcxyz",
    "0123456789",
    "01",
    "aA1 ",
    "abcABC0123 _-.",
    " \t\n",
    "+-.eE0123456789",
    "/\\.:abc",
    "()[]{}<>,;:'\"",
    "%&=?#@!*~^|$`",
    "-:T0123456789Z",
    "IVXLCDM",
    "éßñ漢²٣",  # the last two are digits, each in its own sense
    "aאبج٣१\u0301\u200d·",
)
CLASSES = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
SEPARATORS = (" ", " ", " ", ",", "-", ".", ":", "/", "\n", ";", "_")
FORMATS = (
    "2024-02-29", "12:30:45", "2024-02-29T12:30:45Z", "29 Feb 2024", "Thu, 29 Feb 2024 12:30:45 GMT", "+01:00",
    "1.5", "-1.5e10", "1e400", "0x1f", "0b101", "1_000", "1,234.5", "50%", "1/2", "1+2j", "inf", "nan", "00", "-0",
    "1.2.3", "v1.0a1", "1.0.post1", ">=1.0", "a.b.c", "a-b_c", "CamelCase", "__init__", "a=1", "a=1;b=2", "a: b",
    "key = value", "--long=1", "-x", "[1, 2]", "(1, 2)", "{'a': 1}", '{"a": [1, null, true]}', "{1, 2}", "b'x'",
    "None", "True", "false", "set()", "http://u:p@h.com:80/a/b;c?d=e&f#g", "//h/p", "mailto:a@b.co", "a@b.co",
    "[::1]", "::ffff:1.2.3.4", "192.168.0.1/24", "00:1B:44:11:3A:B7", "/a/b.c", "../a//b/", r"C:\a\b.txt",
    r"\\h\s\d", "~/a", "*.py", "[a-z]?", "%41%zz", "&amp;&#65;", "<a b='c'>d</a>", "<!-- c -->", "# c",
    'a,b,"c,d"', "'a' \"b\"", "a\tb\r\nc\n\n", "  a\n    b\n", r"\n\x41\u0041", "$a ${b} $$", "{a} {0!r:>5}",
    "%s %(a)d %%", "(a|b)*c+", "a && !b", "4111111111111111", "9780306406157", "GB82WEST12345698765432", "MCMXCIV",
    "xn--bcher-kva", "\ufeffa", "a\x00b", "http://[::1]:8/", "%252541", "YWJj", "#1a2b3c", "en_US.UTF-8",
    "12345678-1234-5678-1234-567812345678", "text/html; charset=utf-8", "P1Y2M3DT4H5M6S", "A <a@b.co>",
    "x\x9cKLJN\x84!\x00\x1d\xe0\x04\x99",  # what zlib makes of some letters
)  # fmt: skip
"""Texts in the forms that programs look for."""

LONGEST = 5_000
MAX_KNOWN = 4_000
MAX_NOTICED = 20_000
REPEATS = 0.15  # how often a value is the one before again: what compares inputs with each other needs that
AT_END = 0.2  # how many changes of a text are made at its end
MAX_COPIES = 100
REWORDED = 0.4  # how many texts get a word of the program in place of one of their own
WORD = re.compile(r"[^\W_]+")
MATCHES = 0.2  # how many texts match a pattern of the program, if it has any
ALTERNATIVES = (0, 0, 0, 1, 2, 3, 4, 5)  # the first is what was asked for
FOREIGN = 0.03
APART = 1_000_003  # so that the draws of two seeds do not overlap


class Draws:
    """A seeded source of values. `constants` are those that the program itself mentions; `foreign` is how often
    characters are taken from all that Unicode has.
    """

    def __init__(self, seed: int, constants: Iterable[Any] = (), foreign: float = FOREIGN) -> None:
        self.random = random.Random(seed)
        self._seed = seed
        self._foreign = foreign
        self._drawn: dict[Sort, Any] = {}  # the last value of each sort
        self.sorts: dict[str, Sort] = {}  # of the variables met so far
        self._news = Lessons()  # what was learned since somebody last asked
        self.ints: list[int] = []
        self.floats: list[float] = []
        self.characters: list[str] = []  # whose codes the program mentions
        self.texts: list[str] = []
        self.patterns: list[re.Pattern[str]] = []  # of the program
        self._dealing = False  # whether the next text is a format: each in its turn, so that none is left out
        self._dealt = 0
        self._known: set[tuple[type, Any]] = set()
        self._noticed: set[tuple[type, Any]] = set()
        self.learn(constants)

    def restart(self, number: int) -> None:
        """The same draws from here on as whenever this number is given."""
        # A run's draws depend on its number alone, not on what was drawn before it.
        self.random.seed(number + APART * self._seed)
        self._drawn.clear()
        self._dealing = number % 2 == 0

    def notice(self, values: Iterable[Any]) -> None:
        """Learns the values that this run compared and an earlier one too: those that change with the input
        are the input's own, the others the program's.
        """
        again = [value for value in values if (type(value), value) in self._noticed]
        # A long search compares more values than are worth keeping.
        if len(self._noticed) < MAX_NOTICED:
            self._noticed.update((type(value), value) for value in values)
        self._news.values += self.learn(again)

    def teach(self, lessons: Lessons) -> None:
        """What was learned in other processes."""
        self.sorts.update(lessons.sorts)
        self.learn(lessons.values)

    def news(self) -> Lessons:
        """What was learned since this was last asked."""
        news, self._news = self._news, Lessons()
        return news

    def learn(self, values: Iterable[Any]) -> list[Any]:
        """Adds values worth trying; those that are new."""
        new = []
        for value in values:
            if isinstance(value, bytes):
                value = value.decode("latin-1")
            # With the type: 1, 1.0 and True are one key otherwise.
            key = type(value), value
            if type(value) not in (int, float, str) or key in self._known or len(self._known) > MAX_KNOWN:
                continue
            self._known.add(key)
            new.append(value)
            if type(value) is int:
                # Bounds are where programs branch.
                self.ints += [value, value + 1, value - 1]
                # An int may be the code of a character the program looks for; surrogates are none.
                if 0x80 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000:
                    self.characters += [chr(value), chr(value + 1)] if value < 0x10FFFF else [chr(value)]
            elif type(value) is float:
                self.floats += [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
            elif len(value) <= 200:
                self.texts.append(value)
        return new

    def emphasise(self, values: Iterable[Any]) -> None:
        """Makes the values that the target itself mentions about as likely as all others together."""
        own = Draws(0, values)
        _repeat(own.ints, self.ints)
        _repeat(own.characters, self.characters)
        _repeat(own.floats, self.floats)
        _repeat(own.texts, self.texts)

    def usual(self, name: str, sort: Sort, default: Any) -> Any:
        """The default of a variable that has no value; its sort is remembered for later changes."""
        self._meet(name, sort)
        return default

    def _meet(self, name: str, sort: Sort) -> None:
        if self.sorts.get(name) is not sort:
            self.sorts[name] = self._news.sorts[name] = sort

    # -- fresh values ---------------------------------------------------------------------------

    def fresh(self, name: str, sort: Sort, default: Any = None) -> Any:
        """A generated value for a variable that has none."""
        self._meet(name, sort)
        if sort.element is not None:
            element = sort.element
            return [self.fresh(named(name).item(None), element) for _ in range(self._length())]
        # Names say what a variable is for: which alternative, how many elements.
        if sort is INT and kind_of(name) is InputKind.CHOICE:
            return self.random.choice(ALTERNATIVES)
        if sort is INT and kind_of(name) is InputKind.LENGTH:
            return self._length()
        if sort not in self._drawn or self.random.random() >= REPEATS:
            self._drawn[sort] = _FRESH[sort](self)
        return self._drawn[sort]

    def _length(self) -> int:
        return self.random.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 8))

    def number(self) -> int:
        pick = self.random.random()
        if pick < 0.3 and self.ints:
            return self.random.choice(self.ints)
        if pick < 0.6:
            return self.random.choice(INTS)
        if pick < 0.9:
            return self.random.randint(-20, 120)
        if pick < 0.97:
            return self.random.randint(-5000, 5000)
        return self.random.choice(LARGE_INTS)

    def real(self) -> float:
        pick = self.random.random()
        if pick < 0.25 and self.floats:
            return self.random.choice(self.floats)
        if pick < 0.6:
            return self.random.choice(FLOATS)
        if pick < 0.9:
            return round(self.random.uniform(-100, 100), self.random.choice((0, 1, 2, 6)))
        return _as_float(self.number())

    def flag(self) -> bool:
        return self.random.random() < 0.5

    def text(self) -> str:
        pick = self.random.random()
        # Every second seed begins with a form from the list, so that all are tried within a few bursts.
        if self._dealing and pick < 0.8:
            self._dealing = False
            self._dealt += 1
            return FORMATS[self._dealt % len(FORMATS)]
        if self.patterns and self.random.random() < MATCHES:
            return self._matching()
        if pick < 0.35 and self.texts:
            return self._phrase(self._separator())[:200]
        if pick < 0.45:
            return integer(self.number())
        if pick < 0.6:
            form = self.random.choice(FORMATS)
            return self._reworded(form) if self.random.random() < REWORDED else form
        return self._letters()

    def _matching(self) -> str:
        """A text that patterns of the program match, in one place or in several."""
        times = self.random.choice((1, 1, 1, 2, 2, 3))
        one = self.random.choice(self.patterns)
        parts = [written(one if self.random.random() < 0.6 else self.random.choice(self.patterns), self.random)
                 for _ in range(times)]  # fmt: skip
        return self.random.choice(("", "", "\n", " ", ",", ";")).join(parts)[:200]

    def _letters(self) -> str:
        alphabet: Sequence[str] = self.random.choice(ALPHABETS)
        if self.random.random() < self._foreign:
            alphabet = [self.random.choice(kinds()) for _ in range(4)] + ["a", "1"]
        elif self.characters and self.random.random() < 0.2:
            alphabet = [*self.characters, "a", "1"]
        return "".join(
            self.random.choice(alphabet) for _ in range(self.random.choice((0, 1, 1, 2, 3, 4, 6, 8, 10, 13)))
        )

    # -- changed values -------------------------------------------------------------------------

    def mutated(self, assignment: Assignment, names: Sequence[str]) -> Assignment:
        """The assignment with one to three of the named values changed."""
        made = dict(assignment)
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            name = self.random.choice(names)
            if name in made:
                made[name] = self.changed(made[name], name)
        return made

    def changed(self, value: Any, name: str = "") -> Any:
        if kind_of(name) is InputKind.CHOICE:
            return self.random.randrange(6)
        if kind_of(name) is InputKind.LENGTH:
            return max(0, value + self.random.choice((-2, -1, 1, 1, 2)))
        kind = type(value)
        if kind is bool:
            return not value
        if kind is int:
            return self._changed_int(value)
        if kind is float:
            return self._changed_float(value)
        if kind is str:
            return self._changed_text(value)
        if kind in (list, tuple):
            return self._changed_list(list(value), name)
        return value

    def _changed_int(self, value: int) -> int:
        change = self.random.randrange(7)
        if change == 0:
            return self.number()
        if change == 1:
            return -value
        if change == 2:
            return value * self.random.choice((2, 10))
        if change == 3:
            return value // self.random.choice((2, 10))
        # One bit of the low sixteen: flags and masks.
        if change == 4:
            return value ^ (1 << self.random.randrange(16))
        return value + self.random.choice((-1, 1)) * self.random.choice((1, 1, 2, 3, 10, 100, 1000))

    def _changed_float(self, value: float) -> float:
        change = self.random.randrange(7)
        if change == 0 or not math.isfinite(value):
            return self.real()
        if change == 1:
            return -value
        if change == 2:
            return float(round(value))
        if change == 3:
            return value * self.random.choice((0.5, 2.0, 10.0, 0.1, 1.01, 0.99))
        return value + self.random.choice((-1, 1)) * 10.0 ** self.random.randint(-6, 3)

    def _changed_text(self, value: str) -> str:
        change = self.random.randrange(10)
        place = len(value) if self.random.random() < AT_END else self.random.randrange(len(value) + 1)
        if change == 0 or not value:
            return self.text()
        if change == 8 and self.patterns and self.random.random() < 0.5:
            return (value[:place] + self._matching() + value[place:])[:300]
        if change == 8 and self.random.random() < 0.5:
            return (value[:place] + self.random.choice(FORMATS) + value[place:])[:300]
        if change == 9 and self.random.random() < 0.3:
            longer = self._longer(len(value))
            # A program that mentions a length often tests for it.
            return (value * (longer // len(value) + 1))[:longer]
        if change in (1, 2):
            return value[:place] + self._character(value) + value[place:]
        if change in (3, 4):
            one = self._like(value[place : place + 1]) if change == 3 else ""
            return value[:place] + (one or self._character(value)) + value[place + 1 :]
        if change == 5:
            return value[:place] + value[place + 1 :]
        if change == 6 and self.texts and self.random.random() < REWORDED:
            return self._reworded(value)[:300]
        if change == 6 and self.texts:
            between = self._separator()
            parts = value[:place], self._phrase(between), value[place:]
            return between.join(part for part in parts if part)[:300]
        if change == 7 and place < len(value):
            code = max(0, ord(value[place]) + self.random.choice((-1, 1)) * self.random.choice((1, 1, 2, 5, 32)))
            return value[:place] + chr(min(code, 0x10FFFF)) + value[place + 1 :]
        return value[:place] + value[place:][: self.random.randrange(1, 5)] + value[place:]

    def _longer(self, length: int) -> int:
        """A length that the program mentions, beyond the one given."""
        lengths = [number for number in self.ints if length < number <= LONGEST]
        return self.random.choice(lengths) if lengths else length

    def _like(self, character: str) -> str:
        """Another character of the same class: what has a form should keep it."""
        same = next((letters for letters in CLASSES if character and character in letters), "")
        return self.random.choice(same) if same else ""

    def _phrase(self, between: str) -> str:
        """Some of the texts that the program mentions, at times with letters among them."""
        parts = [self.random.choice(self.texts) for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
        if self.random.random() < 0.3:
            parts.insert(self.random.randrange(len(parts) + 1), self._letters())
        return between.join(parts)

    def _reworded(self, value: str) -> str:
        """The text with one of its words replaced by one that the program mentions: a form with another name."""
        words = list(WORD.finditer(value))
        if not words or not self.texts:
            return value
        word = self.random.choice(words)
        return value[: word.start()] + self.random.choice(self.texts) + value[word.end() :]

    def _separator(self) -> str:
        """What stands between words: mostly nothing."""
        return self.random.choice(SEPARATORS) if self.random.random() < 0.4 else ""

    def _character(self, value: str) -> str:
        if self.texts and self.random.random() < 0.3:
            text = self.random.choice(self.texts)
            if text:
                return self.random.choice(text)
        if self.random.random() < 0.3:
            return self.random.choice(value)
        if self.characters and self.random.random() < 0.3:
            return self.random.choice(self.characters)
        if self.random.random() < self._foreign:
            return self.random.choice(kinds())
        return self.random.choice(self.random.choice(ALPHABETS))

    def _changed_list(self, values: list[Any], name: str) -> list[Any]:
        change = self.random.randrange(6)
        if values and self.random.random() < 0.05:
            longer = self._longer(len(values))
            return (values * (longer // len(values) + 1))[:longer]
        sort = self.sorts.get(name)
        if sort is not None and sort.element is not None and (not values or change == 5):
            values.insert(self.random.randrange(len(values) + 1), self.fresh(named(name).item(None), sort.element))
            return values
        if not values:
            return values
        place = self.random.randrange(len(values))
        if change == 0:
            del values[place]
        elif change == 1:
            values.insert(place, self.changed(values[place]))
        elif change == 2:
            values.append(values[place])
        elif change == 3:
            other = self.random.randrange(len(values))
            values[place], values[other] = values[other], values[place]
        else:
            values[place] = self.changed(values[place])
        return values


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:  # a program may compare with numbers of any size
        return math.inf if number > 0 else -math.inf


def _repeat(values: list[_T], among: list[_T]) -> None:
    """Adds values to a list until they are about half of it."""
    if values:
        among += values * min(MAX_COPIES, max(1, len(among) // len(values)))


_FRESH: dict[Sort, Callable[[Draws], Any]] = {
    INT: Draws.number,
    FLOAT: Draws.real,
    BOOL: Draws.flag,
    STR: Draws.text,
}
