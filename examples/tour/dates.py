"""Dates as people write them."""

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def day_of_year(year: int, month: int, day: int) -> int:
    """
    :assume: 1 <= year, year <= 9999
    :ensure: 1 <= returnv, returnv <= 366
    """
    if not 1 <= month <= 12:
        raise ValueError("no such month")
    last = DAYS[month - 1] + (1 if month == 2 and is_leap(year) else 0)
    if not 1 <= day <= last:
        raise ValueError("no such day")
    return sum(DAYS[: month - 1]) + day + (1 if month > 2 and is_leap(year) else 0)


def parse(text: str) -> tuple[int, int]:
    """Day and month of a text such as `24.12.`.

    :assume: len(text) <= 6
    """
    if text.count(".") != 2:
        raise ValueError("a date looks like 24.12.")
    day, month, _ = text.split(".")
    if not (day.isdigit() and month.isdigit()):
        raise ValueError("day and month are numbers")
    if not 1 <= int(day) <= DAYS[int(month) - 1]:
        raise ValueError("no such day")
    return int(day), int(month)
