"""The examples of PEF, the Python Error Finder, written anew: small programs with known numbers of paths."""

# ruff: noqa: E721, E741, SIM103, PT028, UP031, UP032, RUF005 - the spellings are what each example is about

import math
import random


def simple(i):
    """Prints one of two messages.

    :types: i: int
    :assume: i > 0
    """
    if i:
        print("not zero")
    else:
        print("zero")


def simple_bool(a, b):
    """:types: a: None, b: bool"""
    return a and b


def fun(a):
    """:types: a: int"""
    a = a + 3
    if a:
        raise AssertionError("not zero")
    return a


def funab(a, b):
    """:types: a: int, b: int"""
    a += 3
    if a == b:
        if a != a:
            raise ValueError("impossible")
        raise ValueError("possible")
    return a


def funfor(a):
    """:types: a: int"""
    a += 3
    for _ in range(a):
        if a == 2:
            raise ValueError("two")
    return a


def funlist_in(l, i, j):
    """:types: l: list, i: int, j: int"""
    if len(l) == i:
        if l[j] == i:
            print("the element is the length")
        else:
            print("the element is not the length")
    else:
        print("the length differs")


def funlist_iter(l):
    """:types: l: list"""
    for i, e in enumerate(l):
        print(i, e)


def funlist_slice(l, start, stop, step):
    """:types: l: list, start: int, stop: int, step: int"""
    return l[start:stop:step]


def divisible(x, y):
    """Whether x is a multiple of y, by subtracting.

    :types: x: int, y: int
    :assume: x > y
    """
    if x > y:
        return divisible(x - y, y)
    if x == y or x == 0:
        return True
    return False


def assert_not_divisible(x, y):
    """:types: x: int, y: int"""
    if x > y:
        if divisible(x, y):
            raise AssertionError("divisible")
        print("not divisible")
    else:
        raise ValueError("x must be greater than y")


class Test:
    """An int and a list of ints that should agree."""

    def __init__(self, a, l):
        """:types: a: int, l: list"""
        self.a = a
        self.l = l

    def recalculate(self):
        self.a = len(self.l)

    def test_Test(self):
        """Makes the two agree, or marks the first element."""
        if self.a != len(self.l):
            self.recalculate()
        else:
            self.l[0] = self.a
        return self.l[0]


def test_mock_Test(a, l):
    """:types: a: int, l: list"""
    if a != len(l):
        a = len(l)
    else:
        l[0] = a
    return l[0]


def test_gt(a, b):
    """:types: a: int, b: int"""
    if a > b:
        return b - a
    return a - b


def test_kw_args(a=1, b=2):
    """:types: a: int, b: int"""
    if a > b:
        return True
    return False


class Simple:
    """An object whose constructor takes one of two ways."""

    def __init__(self, a, b):
        """:types: a: int, b: int"""
        if a > b:
            print("a is greater")
        else:
            print("a is not greater")
        self.a = a
        self.b = b


def simple_test(s):
    """:types: s: Simple"""
    return s


class Queue:
    """A queue kept in a list."""

    def __init__(self, elements=None):
        """:types: elements: list"""
        self.elements = [] if elements is None else elements

    def push(self, element):
        self.elements.append(element)

    def pop(self):
        if not self.elements:
            raise IndexError("pop from an empty queue")
        return self.elements.pop(0)

    def holds_elements(self):
        return len(self.elements) > 0


def example00(pushes, pops):
    """:types: pushes: int, pops: int"""
    queue = Queue()
    for i in range(pushes):
        queue.push(i)
    for _ in range(pops):
        queue.pop()
    return queue.holds_elements()


def example01(queue, pushes, pops):
    """:types: queue: Queue, pushes: int, pops: int"""
    for i in range(pushes):
        queue.push(i)
    for _ in range(pops):
        queue.pop()
    return queue.holds_elements()


def example02(a, b):
    """:types: a: int, b: int"""
    return a // b


def multitypes(a, b):
    """:types: a: [int, list], b: [int, list]"""
    if isinstance(a, int):
        print("a is an int")
    else:
        print("a is a list")
    if isinstance(b, int):
        print("b is an int")
    else:
        print("b is a list")


def test_strings1(a, b):
    """:types: a: str, b: str"""
    if a == b:
        return "%s twice" % a
    if len(a) > len(b):
        message = "{} is longer".format(a)
    else:
        message = "{} is not longer".format(a)
    if a < b:
        message += ", comes before %s" % b
    if a[0] == b[0]:
        message += ", begins alike"
    if a.isdecimal():
        message += ", is a number"
    return message


def print_species(tree):
    """:types: tree: list"""
    if type(tree) == list:
        for child in tree:
            print_species(child)
    else:
        print(tree)


class Lista:
    """A linked list of ints."""

    def __init__(self, value, next):
        """:types: value: int, next: [Lista, None]"""
        self.value = value
        self.next = next


def sum_lista(lista):
    """:types: lista: [Lista, None]"""
    if lista is None:
        return 0
    return lista.value + sum_lista(lista.next)


class BinaryTree:
    """A binary tree with an int in every node."""

    def __init__(self, key, left, right):
        """:types: key: int, left: [BinaryTree, None], right: [BinaryTree, None]"""
        self.key = key
        self.left = left
        self.right = right

    def insertLeft(self, key):
        """:types: key: int"""
        if self.left is None:
            self.left = BinaryTree(key, None, None)
        else:
            tree = BinaryTree(key, None, None)
            tree.left = self.left
            self.left = tree


def sum_fac(n):
    """:types: n: int"""
    if n < 0:
        raise ValueError("negative")
    total = 0
    for i in range(n + 1):
        total += math.factorial(i)
    return total


def sum_fac2(n):
    """:types: n: int"""
    if n < 0:
        raise ValueError("negative")
    if n == 0:
        return 1
    if n == 1:
        return 2
    if n == 2:
        return 4
    return sum_fac2(n - 1) * n - sum_fac2(n - 3) * (n - 1)


def test_sum_fac(n):
    """:types: n: int"""
    return sum_fac2(n) == sum_fac(n)


def fact_spec(x):
    """:types: x: int"""
    result = 1
    while x > 1:
        result *= x
        x -= 1
    return result


def faulty_fact(x):
    """The factorial, but wrong for 40.

    :types: x: int
    :ensure: returnv == fact_spec(x)
    """
    result = 1
    factor = x
    while factor > 1:
        result *= factor
        factor -= 1
    if x == 40:
        result += 1
    return result


def suma_con_bug(a, b):
    """:types: a: int, b: int"""
    total = a + b
    if total == 42:
        print("the answer")
    if a - b == 42:
        raise ValueError("the difference is the answer")
    return total


def f_l_j(l, j):
    """:types: l: list, j: int"""
    l += [1, 2, 3]
    return l[j]


def sum1(a, b, c):
    """:types: a: int, b: int, c: int
    :ensure: returnv == a + b + c
    """
    x = a + b
    y = b + c
    return x + y - b


def power(x, y):
    """:types: x: int, y: int"""
    z = 1
    j = 1
    while y >= j:
        z *= x
        j += 1
    return z


def abs1(x):
    """:types: x: int
    :ensure: returnv >= 0
    """
    if x < 0:
        return -x
    return x


def quicksort(l):
    """Sorts by list comprehensions, with the first element as the pivot.

    :types: l: list
    :ensure: returnv == sorted(returnv)
    """
    if len(l) <= 1:
        return l
    pivot = l[0]
    smaller = [e for e in l[1:] if e < pivot]
    greater = [e for e in l[1:] if e >= pivot]
    return quicksort(smaller) + [pivot] + quicksort(greater)


def quicksort_of(l, n):
    """:types: l: list, n: int
    :assume: len(l) == n
    :ensure: returnv == sorted(returnv)
    """
    return quicksort(l)


def adivina(x):
    """A million random numbers, then one comparison with the input.

    :types: x: int
    """
    secret = 0
    for _ in range(1_000_000):
        secret = random.randint(0, 1_000_000)
    if x == secret:
        return "guessed"
    return "wrong"
