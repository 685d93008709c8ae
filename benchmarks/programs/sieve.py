"""One long loop in one call: nothing is ever re-entered."""


def sieve(limit):
    flags = [True] * (limit + 1)
    flags[0] = flags[1] = False
    candidate = 2
    while candidate * candidate <= limit:
        if flags[candidate]:
            multiple = candidate * candidate
            while multiple <= limit:
                flags[multiple] = False
                multiple += candidate
        candidate += 1
    total = 0
    for flag in flags:
        if flag:
            total += 1
    return total


def main():
    assert sieve(1_000_000) == 78_498
