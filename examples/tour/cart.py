"""A shopping cart."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Item:
    price: int
    count: int = 1

    def __post_init__(self) -> None:
        if self.price < 0 or self.count < 1:
            raise ValueError("things cost something and there is at least one of them")


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)
    voucher: int = 0

    def __post_init__(self) -> None:
        if self.voucher < 0:
            raise ValueError("a voucher is worth something")

    def total(self) -> int:
        """What is to be paid, in cents.

        :assume: len(self.items) <= 2
        :ensure: returnv >= 0
        """
        total = sum(item.price * item.count for item in self.items)
        if total > 5000:
            total -= total // 10
        return total - self.voucher

    def average(self) -> int:
        """What a thing in the cart costs on average.

        :assume: len(self.items) <= 2
        """
        return sum(item.price * item.count for item in self.items) // sum(item.count for item in self.items)
