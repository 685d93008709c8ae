"""Lists and dicts as it should be."""

from __future__ import annotations


def average(values: list[int]) -> float:
    """The mean value, 0.0 of none.

    :assume: len(values) <= 3, all(abs(value) <= 1000 for value in values)
    """
    return sum(values) / len(values) if values else 0.0


def largest(values: list[int]) -> int:
    """
    :assume: 1 <= len(values), len(values) <= 3
    :ensure: returnv in values, all(returnv >= value for value in values)
    """
    best = values[0]
    for value in values:
        if value > best:
            best = value
    return best


def find(values: list[int], wanted: int) -> int:
    """Where a value stands in a sorted list, or -1.

    :assume: len(values) <= 3, all(values[k] < values[k + 1] for k in range(len(values) - 1))
    :ensure: (returnv == -1) == (wanted not in values), returnv == -1 or values[returnv] == wanted
    """
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def price_of(prices: dict[str, int], name: str) -> int:
    """What something costs; unknown things cost nothing."""
    return prices.get(name, 0)


def append_to(item: int, items: list[int] | None = None) -> list[int]:
    items = [] if items is None else items
    items.append(item)
    return items


def second_basket(first: int, second: int) -> list[int]:
    """
    :ensure: returnv == [second]
    """
    append_to(first)
    return append_to(second)


def drop_zeros(items: list[int]) -> None:
    """
    :assume: len(items) <= 3
    :ensure: 0 not in new(items)
    """
    for item in list(items):
        if item == 0:
            items.remove(item)


def swap(items: list[int], i: int, j: int) -> None:
    """
    :assume: 0 <= i, i < len(items), 0 <= j, j < len(items), len(items) <= 3
    :ensure: new(items)[i] == items[j], new(items)[j] == items[i]
    """
    items[i], items[j] = items[j], items[i]


def rotate(items: list[int]) -> None:
    """Moves the first element to the end.

    :ensure: len(new(items)) == old(len(items))
    """
    if items:
        items.append(items.pop(0))


def merged(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    """
    :assume: len(a) <= 2, len(b) <= 2
    :ensure: new(a) == a, all(returnv[key] == b[key] for key in b)
    """
    result = dict(a)
    result.update(b)
    return result


def board(size: int) -> list[list[int]]:
    """An empty board with a token in the first corner.

    :assume: 1 <= size, size <= 4
    :ensure: sum(sum(row) for row in returnv) == 1
    """
    rows = [[0] * size for _ in range(size)]
    rows[0][0] = 1
    return rows


def running_totals(values: list[int]) -> list[int]:
    """
    :assume: len(values) <= 3
    :ensure: new(values) == values, len(returnv) == len(values)
    """
    totals = list(values)
    for k in range(1, len(totals)):
        totals[k] += totals[k - 1]
    return totals


def chunks(items: list[int], size: int) -> list[list[int]]:
    """
    :assume: 1 <= size, size <= 3, len(items) <= 4
    :ensure: sum(len(chunk) for chunk in returnv) == len(items)
    """
    return [items[k * size : (k + 1) * size] for k in range(-(-len(items) // size))]


def top_score(scores: dict[str, int]) -> int:
    """The best score of a game that somebody may have to start yet."""
    return max(scores.values(), default=0)


def greeting(name: str | None) -> str:
    """
    :assume: name is None or len(name) <= 3
    """
    return "Hello" if name is None else "Hello " + name.strip()


def longest(words: list[str]) -> str | None:
    best: str | None = None
    for word in words:
        if best is None or len(word) > len(best):
            best = word
    return best


def column_width(words: list[str]) -> int:
    """
    :assume: len(words) <= 2
    """
    return len(longest(words) or "") + 2
