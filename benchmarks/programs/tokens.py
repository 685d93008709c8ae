"""A hand-written expression parser: character tests, chained comparisons, small methods."""


class Parser:
    def __init__(self, text):
        self.text = text
        self.place = 0

    def peek(self):
        return self.text[self.place] if self.place < len(self.text) else ""

    def skip(self):
        while self.place < len(self.text) and self.text[self.place] == " ":
            self.place += 1

    def number(self):
        value = 0
        while "0" <= self.peek() <= "9":
            value = value * 10 + ord(self.peek()) - 48
            self.place += 1
        return value

    def atom(self):
        self.skip()
        if self.peek() == "(":
            self.place += 1
            value = self.total()
            self.skip()
            if self.peek() != ")":
                raise SyntaxError("a bracket is missing")
            self.place += 1
            return value
        return self.number()

    def product(self):
        value = self.atom()
        while True:
            self.skip()
            sign = self.peek()
            if sign == "*":
                self.place += 1
                value *= self.atom()
            elif sign == "/":
                self.place += 1
                value //= self.atom() or 1
            else:
                return value

    def total(self):
        value = self.product()
        while True:
            self.skip()
            sign = self.peek()
            if sign == "+" or sign == "-":
                self.place += 1
                other = self.product()
                value = value + other if sign == "+" else value - other
            else:
                return value


def main():
    text = " + ".join(f"({n} * {n + 1} - {n} / 7) * 3" for n in range(40))
    for _ in range(20):
        assert Parser(text).total() == 63_675
