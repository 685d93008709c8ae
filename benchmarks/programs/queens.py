"""Recursive search: many short calls, a test in the innermost loop."""


def place(n, row, columns, rising, falling):
    if row == n:
        return 1
    found = 0
    for column in range(n):
        if column in columns or row + column in rising or row - column in falling:
            continue
        columns.add(column)
        rising.add(row + column)
        falling.add(row - column)
        found += place(n, row + 1, columns, rising, falling)
        columns.remove(column)
        rising.remove(row + column)
        falling.remove(row - column)
    return found


def main():
    for _ in range(10):
        assert place(8, 0, set(), set(), set()) == 92
