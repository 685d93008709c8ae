"""Branches that no input takes: `#!` where that must be proven, `#?` where it is too hard."""

import dataclasses
import enum
import math
import re
import zlib
from typing import Any, Optional, Union


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int


def square(x: int) -> int:
    if x * x < 0:  #! never true
        return 1
    return 0


def parity(x: int) -> int:
    if x % 2 == 0 and (x + 1) % 2 == 0:  #! never true
        return 1
    return 0


def order(a: int, b: int) -> int:
    if a < b:
        if b <= a:  #! never true
            return 1
        return 2
    return 0


def absolute(x: int) -> int:
    y = x if x >= 0 else -x
    if y < 0:  #! never true
        return 1
    return y


def mask(x: int) -> int:
    if x & 7 > 7:  #! never true
        return 1
    return 0


def shifted(x: int) -> int:
    if (x << 1) % 2 == 1:  #! never true
        return 1
    return 0


def huge(x: int) -> int:
    if x > 10**40 and x < 10**40 + 2:
        return 1 if x == 10**40 + 1 else 2  #! never false
    return 0


def chained(x: int) -> int:
    if 3 < x < 4:  #! never true
        return 1
    return 0


def half(x: float) -> int:
    if 0 < x < 1 and x > 2:  #! never true
        return 1
    return 0


def not_a_number(x: float) -> int:
    if x != x:
        if x > 0 or x <= 0:  #! never true
            return 1
        return 2
    return 0


def infinite(x: float) -> int:
    if math.isinf(x) and x - x == 0:  #! never true
        return 1
    return 0


def lengths(s: str) -> int:
    if len(s) < 0:  #! never true
        return 1
    return 0


def two_letters(s: str) -> int:
    if s == "ab":
        if s[0] != "a":  #! never true
            return 1
        return 2
    return 0


def prefixes(s: str) -> int:
    if s.startswith("ab") and s.startswith("ac"):  #! never true
        return 1
    return 0


def digits(s: str) -> int:
    if len(s) == 2 and s.isdigit() and s.isalpha():  #? never true
        return 1
    return 0


def upper(s: str) -> int:
    if s.upper() == "abc":  #? never true
        return 1
    return 0


def matched(s: str) -> int:
    m = re.fullmatch(r"[a-c]{2}", s)
    if m:
        if "d" in s:  #? never true
            return 1
        return 2
    return 0


def byte(b: bytes) -> int:
    if len(b) == 1:
        if b[0] > 255:  #! never true
            return 1
        return 2
    return 0


def in_bounds(xs: list[int]) -> int:
    if len(xs) == 2:
        if xs[0] < xs[1] and xs[1] < xs[0]:  #! never true
            return 1
        return 2
    return 0


def after_sorting(a: int, b: int) -> int:
    low, high = sorted([a, b])
    if low > high:  #! never true
        return 1
    return 0


def extremes(a: int, b: int) -> int:
    if min(a, b) > max(a, b):  #! never true
        return 1
    return 0


def looked_up(k: int) -> int:
    table = {1: "a", 2: "b"}
    if table.get(k) == "c":  #! never true
        return 1
    return 0


def member(k: int) -> int:
    if k in {1, 2, 3} and k > 3:  #! never true
        return 1
    return 0


def pair(t: tuple[int, int]) -> int:
    if t < (0, 0) and t[0] > 0:  #! never true
        return 1
    return 0


def level(v: Level) -> int:
    if v is Level.LOW:
        return 1
    if v is Level.HIGH:  #! never false
        return 2
    return 3


def point(p: Point) -> int:
    if p.x == p.y:
        if p.x - p.y != 0:  #! never true
            return 1
        return 2
    return 0


def optional(x: Optional[int]) -> int:
    if x is None:
        return 1
    if x is None:  #! never true
        return 2
    return 0


def kinds(x: Union[int, str]) -> int:
    if isinstance(x, int):
        return 1
    if isinstance(x, int):  #! never true
        return 2
    return 3


def cases(x: int) -> int:
    match x:
        case 1:
            return 1
        case 2 | 3:
            return 2
        case n if n == 1:  #! never matched #! never true
            return 3
        case _:
            return 0


def pieces(x: int) -> int:
    match (x, x + 1):
        case (a, b) if a >= b:  #! never matched #! never true
            return 1
        case _:
            return 0


def comprehended(xs: list[int]) -> int:
    if len(xs) > 2:
        return 0
    if any(y < 0 for y in [x * x for x in xs]):  #! never true
        return 1
    return 2


def generated(n: int) -> int:
    def squares() -> Any:
        for i in range(3):
            yield i * n * n

    for value in squares():
        if value < 0:  #! never true
            return 1
    return 0


def recursive(n: int) -> int:
    if n <= 0 or n > 4:
        return 0
    below = recursive(n - 1)
    if below < 0:  #! never true
        return -1
    return below + n


def enclosed(x: int) -> int:
    add = lambda y: x + y  # noqa: E731
    if add(1) == x:  #! never true
        return 1
    return 0


def tried(x: int) -> int:
    try:
        y = 10 // x
    except ZeroDivisionError:
        if x != 0:  #! never true
            return 1
        return 2
    else:
        if x == 0:  #! never true
            return 3
    return y


def walrus(s: str) -> int:
    if (n := len(s)) > 3:
        if n < 3:  #! never true
            return 1
        return 2
    return 0


def kept(a: int, b: int) -> int:
    v = a and b
    if v and not a:  #! never true
        return 1
    return 0


def counted(a: bool, b: bool) -> int:
    if a + b > 2:  #! never true
        return 1
    return 0


def default(x: int, y: int = 3) -> int:
    if x == y and x != y:  #! never true
        return 1
    return 0


def several(*args: int) -> int:
    if len(args) < 0:  #? never true
        return 1
    return 0


def formatted(n: int) -> int:
    if f"{n}" == "":  #! never true
        return 1
    return 0


def parsed(s: str) -> int:
    try:
        n = int(s)
    except ValueError:
        return 0
    if n != n:  #! never true
        return 1
    return 2


def induction(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
        if total < 0:  #? never true
            return 1
    return total


def collatz(n: int) -> int:
    steps = 0
    while n > 1 and steps < 50:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if n == 0:  #? never true
            return 1
    return 0


def checksum(s: str) -> int:
    if zlib.crc32(s.encode("utf-8", "ignore")) < 0:  #? never true
        return 1
    return 0


def sine(x: float) -> int:
    if abs(x) < 1e9 and math.sin(x) > 1.5:  #? never true
        return 1
    return 0


def hashed(s: str) -> int:
    if hash(s) == hash(s) + 1:  #? never true
        return 1
    return 0


def fermat(a: int, b: int, c: int) -> int:
    if a > 0 and b > 0 and c > 0 and a**3 + b**3 == c**3:  #? never true
        return 1
    return 0


def asserted(x: int) -> int:
    assert x * 2 % 2 == 0  #! never false
    return 0


def finished(x: int) -> int:
    done = False
    try:
        if x > 0:
            return 1
    finally:
        done = True
        if not done:  #! never true
            x = 0
    return 0
