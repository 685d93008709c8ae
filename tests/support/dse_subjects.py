"""The example programs of the generational-search literature, with known numbers of runs and queries."""

# ruff: noqa: SIM102 - each `if` is a branch of its own


def three(a: int, b: int, c: int) -> int:
    """Three independent branches."""
    count = 0
    if a > 0:
        count += 1
    if b > 0:
        count += 1
    if c > 0:
        count += 1
    return count


def motivational(x: int, y: int) -> int:
    z = 2 * y
    if z == 3:
        return 0
    if z == 4:
        return 1
    raise RuntimeError


def opaque_hash(y: int) -> int:
    """No model sees through this: the special method must give a real float."""
    number = int(y.__float__())
    return 10 if number == 496 else (number * 2654435761) % 97


def path_divergence(x: int, y: int) -> int:
    if x == opaque_hash(y):
        if y == -10:
            return -1
    return 0


def array_len(x: list[int]) -> int:
    if x[2] == 3:
        return 0
    return 1


def array_store(x: list[int], a: int) -> int:
    if x[2] == 3:
        x[1] = a
        if x[1] == 4:
            return 0
        else:
            return 2
    return 1


def symbolic_index(x: list[int], i: int) -> int:
    if x[i] == 7:
        if i == 3:
            return 1
    return 0


def foo42(x: int, y: int) -> int:
    a = 0
    if x > y:
        a = x
    elif y >= 0:
        a = -x + y
    elif x == 0:
        a = y
    if a > 0:
        raise Exception()
    return a


def min3(a: int, b: int, c: int) -> int:
    if a > b:
        a = b
    if a > c:
        a = c
    return a


def index_of(value: int, values: list[int], offset: int) -> int:
    if offset < 0:
        offset = 0
    i = offset
    while i < len(values):
        if values[i] == value:
            return i
        i += 1
    return -1


def power(a: int, n: int) -> int:
    z = 1
    i = 0
    while i < n:
        z *= a
        i += 1
    return z
