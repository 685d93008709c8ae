"""Floating point as it should be."""

import math


def adds_up(dimes: int) -> bool:
    """Whether so many dimes make the dollars they should.

    :assume: 0 <= dimes, dimes <= 10
    :ensure: returnv
    """
    total = 0
    for _ in range(dimes):
        total += 1
    return total / 10 == dimes / 10


def middle(a: float, b: float) -> float:
    """
    :assume: 0.0 <= a, a <= b, b <= 1.7e308
    :ensure: a <= returnv, returnv <= b
    """
    return a + (b - a) / 2


def half_up(x: float) -> int:
    """
    :assume: 0.0 <= x, x <= 100.0
    :ensure: returnv - x <= 0.5, returnv - x > -0.5
    """
    down = int(x)
    return down + 1 if x - down >= 0.5 else down


def seats(weight: float) -> int:
    """How many seats a load of that weight fills."""
    if not math.isfinite(weight):
        raise ValueError("a load has a weight")
    return int(weight // 80.0)


def speed(distance: float, hours: float) -> float:
    """
    :assume: 0.0 <= distance, distance <= 1000.0
    """
    if hours <= 0.0:
        raise ValueError("time runs forwards")
    return distance / hours
