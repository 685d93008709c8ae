"""Exceptions and recursion with one mistake in each function."""


def withdraw(balance: int, amount: int) -> int:
    """
    :raises: ValueError: amount > balance
    """
    if amount > balance:
        raise KeyError(amount)
    return balance - amount


def share(total: int, people: int) -> int:
    """
    :raises: ZeroDivisionError: people == 0
    """
    return total // (people - 1) if people else total // people


def ratio(a: int, b: int) -> float:
    """A ratio, or 0.0 where there is none.

    :assume: abs(a) <= 1000
    """
    try:
        return a / b
    except ValueError:
        return 0.0


def port(number: int) -> int:
    """
    :ensure: 0 <= returnv, returnv <= 65535
    :raises: ValueError: number < 0 or number > 65535
    """
    if number < 0:
        raise ValueError("a port is not negative")
    return number


def level(number: int) -> int:
    """
    :raises: any: number == 13
    """
    if number >= 13:
        raise LookupError("unlucky")
    return number


def factorial(n: int) -> int:
    """
    :assume: n <= 5
    """
    return 1 if n == 0 else n * factorial(n - 1)


def steps(n: int) -> int:
    """How many double steps a staircase takes.

    :assume: n <= 8
    """
    if n == 0:
        return 0
    return 1 + steps(n - 2)


def half(n: int) -> int:
    """
    :assume: n % 2 == 0
    :ensure: returnv * 2 == n
    """
    return n // 2


def quarter(n: int) -> int:
    """
    :assume: n % 2 == 0
    """
    return half(half(n))


def position(items: list[int], wanted: int) -> int:
    """
    :assume: wanted in items
    :ensure: items[returnv] == wanted
    """
    return items.index(wanted)


def promote(items: list[int], wanted: int) -> None:
    """Moves an element to the front.

    :assume: len(items) <= 2
    """
    items.insert(0, items.pop(position(items, wanted)))


def absolute(x: int) -> int:
    """
    :ensure: returnv >= 0
    """
    return x if x > -10 else -x


def distance(a: int, b: int) -> int:
    """How far apart two numbers are."""
    return absolute(a - b)
