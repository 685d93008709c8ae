"""Classes as they should be."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Account:
    """Money that is there."""

    def __init__(self, balance: int) -> None:
        if balance < 0:
            raise ValueError("no account starts with debts")
        self.balance = balance

    def repok(self) -> bool:
        return self.balance >= 0

    def pay(self, amount: int) -> None:
        """
        :assume: amount >= 0
        """
        if amount > self.balance:
            raise ValueError("not enough money")
        self.balance -= amount


class Interval:
    """A stretch between two numbers."""

    def __init__(self, start: int, end: int) -> None:
        self.start = min(start, end)
        self.end = max(start, end)

    def invariant(self) -> bool:
        return self.start <= self.end

    def length(self) -> int:
        return self.end - self.start


class Buffer:
    """At most three things."""

    def __init__(self, items: list[int]) -> None:
        if len(items) > 3:
            raise ValueError("too many")
        self.items = list(items)

    def __invariant__(self) -> bool:
        return len(self.items) <= 3

    def push(self, item: int) -> None:
        if len(self.items) >= 3:
            raise OverflowError("full")
        self.items.append(item)


class Counter:
    """Counts and starts again."""

    def __init__(self, count: int, limit: int) -> None:
        if not 0 <= count <= limit:
            raise ValueError("a count stands between 0 and its limit")
        self.count = count
        self.limit = limit

    def tick(self) -> None:
        """
        :ensure: new(self.count) <= self.limit
        """
        if self.count == self.limit:
            self.count = 0
        else:
            self.count += 1


class Light(Enum):
    RED = 1
    GREEN = 2
    YELLOW = 3
    OFF = 4


AFTER = {Light.RED: Light.GREEN, Light.GREEN: Light.YELLOW, Light.YELLOW: Light.RED, Light.OFF: Light.OFF}


def after(light: Light) -> Light:
    """What a traffic light shows next."""
    return AFTER[light]


@dataclass
class Item:
    price: int
    count: int = 1


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)

    def total(self) -> int:
        return sum(item.price * item.count for item in self.items)

    def change(self, item: Item, by: int) -> None:
        """
        :assume: item.count >= 0
        :ensure: new(item.count) >= 0
        """
        if item.count + by < 0:
            raise ValueError("fewer than none")
        item.count += by


class Node:
    """A list of numbers."""

    def __init__(self, value: int, rest: Node | None = None) -> None:
        self.value = value
        self.rest = rest


def last(node: Node) -> int:
    """The last value."""
    while node.rest is not None:
        node = node.rest
    return node.value


class Thermostat:
    """Keeps a target within the limits it was built with."""

    def __init__(self, low: int, high: int) -> None:
        if low >= high:
            raise ValueError("low is below high")
        self.low, self.high = low, high
        self.target = low

    def repok(self) -> bool:
        return self.low <= self.target <= self.high

    def warmer(self, degrees: int) -> None:
        """
        :assume: degrees > 0
        """
        self.target = min(self.target + degrees, self.high)

    def narrow(self, high: int) -> None:
        if high <= self.low:
            raise ValueError("low is below high")
        self.high = high


class Library:
    """Lends what is on the shelf."""

    def __init__(self, shelf: dict[str, int]) -> None:
        self.shelf = shelf

    def lend(self, title: str) -> None:
        """
        :ensure: new(self.shelf)[title] == self.shelf[title] - 1
        """
        if self.shelf.get(title, 0) == 0:
            raise LookupError("not there")
        self.shelf[title] -= 1
