"""Arithmetic with one mistake in each function."""

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def clamp(x: int, low: int, high: int) -> int:
    """The nearest number between two bounds.

    :assume: low <= high
    :ensure: low <= returnv, returnv <= high
    """
    if x < low:
        return low
    if x > high:
        return low - high
    return x


def leap_year(year: int) -> bool:
    """
    :ensure: returnv == (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    """
    return year % 4 == 0 and year % 100 != 0


def smallest(a: int, b: int, c: int) -> int:
    """
    :ensure: returnv <= a, returnv <= b, returnv <= c
    """
    if a < b and a < c:
        return a
    if b < c:
        return b
    return a


def median(a: int, b: int, c: int) -> int:
    """
    :ensure: (returnv >= a) + (returnv >= b) + (returnv >= c) >= 2,
             (returnv <= a) + (returnv <= b) + (returnv <= c) >= 2
    """
    if a <= b <= c or c <= b <= a:
        return b
    if b <= a <= c or c <= a <= b:
        return a
    return b


def square_root(n: int) -> int:
    """The integer square root.

    :assume: 0 <= n, n <= 60
    :ensure: returnv * returnv <= n, n < (returnv + 1) * (returnv + 1)
    """
    root = 0
    while root * root < n:
        root += 1
    return root


def percent(part: int, whole: int) -> float:
    """How much of the whole a part is.

    :assume: abs(part) <= 1000
    """
    if part == 0:
        return 0.0
    return 100 * part / whole


def saturating_add(a: int, b: int) -> int:
    """Adds two bytes.

    :assume: 0 <= a, a <= 255, 0 <= b, b <= 255
    :ensure: 0 <= returnv, returnv <= 255
    """
    total = a + b
    return 255 if total > 256 else total


def ceil_div(a: int, b: int) -> int:
    """How many boxes of size b hold a things.

    :assume: a >= 0, b > 0
    :ensure: returnv * b >= a, returnv == 0 or (returnv - 1) * b < a
    """
    return a // b + 1


def days_in_month(month: int, leap: bool) -> int:
    """
    :assume: 1 <= month, month <= 12
    :ensure: 28 <= returnv, returnv <= 31
    """
    if month == 2 and leap:
        return 29
    return DAYS[month]


def sign(x: int) -> int:
    """
    :ensure: returnv * abs(x) == x, (returnv == 0) == (x == 0)
    """
    return 1 if x >= 0 else -1


def next_slot(slot: int, slots: int) -> int:
    """The slot after this one in a ring.

    :assume: 0 <= slot, slot < slots
    :ensure: 0 <= returnv, returnv < slots
    """
    if slot > slots:
        return 0
    return slot + 1


def fare(age: int) -> int:
    """Children under 6 ride free, up to 15 for half the price.

    :assume: 0 <= age, age < 130
    :ensure: (returnv == 0) == (age < 6), (returnv == 100) == (6 <= age and age <= 15)
    """
    if age <= 6:
        return 0
    if age <= 15:
        return 100
    return 200


def total_price(price: int, count: int) -> int:
    """Ten or more cost a tenth less, which must never make it negative.

    :assume: price >= 0, count >= 0
    """
    total = price * count
    if count >= 10:
        total -= total // 10 + 1
    assert total >= 0
    return total
