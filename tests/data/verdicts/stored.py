"""What is stored where C code keeps it: attributes and items of objects that are not of this module."""

import array
import decimal


def an_attribute(n: int) -> str:
    if not 1 <= n <= 50:
        return "out of range"
    context = decimal.Context()
    context.prec = n
    third = context.divide(decimal.Decimal(1), decimal.Decimal(3))
    if len(str(third)) > 20:
        return "long"
    return "short"


def by_setattr(n: int) -> str:
    if not 1 <= n <= 50:
        return "out of range"
    context = decimal.Context()
    setattr(context, "prec", n)
    third = context.divide(decimal.Decimal(1), decimal.Decimal(3))
    if len(str(third)) > 20:
        return "long"
    return "short"


def in_place(n: int) -> str:
    if not 0 <= n <= 40:
        return "out of range"
    context = decimal.Context(prec=3)
    context.prec += n
    third = context.divide(decimal.Decimal(1), decimal.Decimal(3))
    if len(str(third)) > 20:
        return "long"
    return "short"


def by_unpacking(n: int) -> str:
    if not 1 <= n <= 50:
        return "out of range"
    context = decimal.Context()
    context.prec, rest = n, 1
    third = context.divide(decimal.Decimal(1), decimal.Decimal(3))
    if len(str(third)) > 20 * rest:
        return "long"
    return "short"


def an_item(n: int) -> str:
    if not 0 <= n <= 1000:
        return "out of range"
    cells = array.array("i", [0, 0])
    cells[1] = n
    if cells[1] > 500:
        return "large"
    return "small"


class Settings:
    limit = 0


def of_this_module(n: int) -> str:
    settings = Settings()
    settings.limit = n
    if settings.limit * 2 == 7:  #! never true
        return "odd"
    if settings.limit > 100:
        return "large"
    return "small"
