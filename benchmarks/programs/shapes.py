"""Classes, properties, pattern matching, exceptions and context managers, as application code has them."""

from contextlib import suppress
from dataclasses import dataclass


@dataclass
class Circle:
    radius: float

    @property
    def area(self):
        return 3.14159 * self.radius * self.radius if self.radius > 0 else 0.0


@dataclass
class Box:
    width: float
    height: float

    @property
    def area(self):
        return self.width * self.height


def describe(shape):
    match shape:
        case Circle(radius=0):
            return "point"
        case Circle(radius=radius) if radius < 1:
            return "small circle"
        case Circle():
            return "circle"
        case Box(width=width, height=height) if width == height:
            return "square"
        case Box():
            return "box"
    return "unknown"


def parse(text):
    try:
        kind, *numbers = text.split()
        values = [float(number) for number in numbers if number != "-"]
        return Circle(*values) if kind == "c" else Box(*values)
    except ValueError:
        return None
    except TypeError:
        return Box(1, 1)


def main():
    lines = ["c 0", "c 0.5", "c 3", "b 2 2", "b 2 3", "b 1", "c x", "b - 4 4"]
    names = {}
    total = 0.0
    for turn in range(4_000):
        shape = parse(lines[turn % len(lines)])
        name = describe(shape)
        names[name] = names.get(name, 0) + 1
        with suppress(AttributeError):
            total += shape.area
    assert names["square"] == 1_500
    assert total > 0
