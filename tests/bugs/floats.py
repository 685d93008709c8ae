"""Floating point with one mistake in each function."""


def adds_up(dimes: int) -> bool:
    """Whether so many dimes make the dollars they should.

    :assume: 0 <= dimes, dimes <= 10
    :ensure: returnv
    """
    total = 0.0
    for _ in range(dimes):
        total += 0.1
    return total == dimes / 10


def middle(a: float, b: float) -> float:
    """
    :assume: 0.0 <= a, a <= b, b <= 1.7e308
    :ensure: a <= returnv, returnv <= b
    """
    return (a + b) / 2


def half_up(x: float) -> int:
    """
    :assume: 0.0 <= x, x <= 100.0
    :ensure: returnv - x <= 0.5, returnv - x > -0.5
    """
    return round(x)


def seats(weight: float) -> int:
    """How many seats a load of that weight fills."""
    return int(weight // 80.0)


def speed(distance: float, hours: float) -> float:
    """
    :assume: 0.0 <= distance, distance <= 1000.0
    """
    if hours < 0.0:
        raise ValueError("time runs forwards")
    return distance / hours
