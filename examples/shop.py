"""A till: `ramify run examples/shop.py` shows which of its branches this little day at the shop never takes."""

from __future__ import annotations

PRICES = {"apple": 30, "bread": 250, "cheese": 480}


def discount(total: int, member: bool) -> int:
    """The price after discount, in cents."""
    if member and total >= 1000:
        return total * 90 // 100
    if 500 <= total < 1000:
        return total - 20
    return total


def checkout(basket: list[str], member: bool = False) -> int:
    """What a basket costs; things without a price are given away."""
    total = 0
    for item in basket:
        try:
            total += PRICES[item]
        except KeyError:
            print(f"no price for {item}, take it")
    return discount(total, member) if basket else 0


def main() -> None:
    print(checkout(["apple", "bread"]))
    print(checkout(["bread", "cheese", "leaflet"]))


if __name__ == "__main__":
    main()
