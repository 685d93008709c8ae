"""Contracts in docstrings: each rule of the grammar, what PEF could not do, and what is said when one is wrong."""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import importlib.util
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ramify.checks import check
from ramify.errors import InputError
from ramify.exploring import explore
from ramify.runtime.checking import Report
from ramify.runtime.contracts import contract as contracts

VERIFIED, VIOLATED, NOTHING = "verified within bounds", "violated", "no violation found"


@pytest.fixture
def checked(tmp_path: Path) -> Any:
    """Checks a function of a source text."""

    def run(source: str, function: str = "f", **options: Any) -> Report:
        path = tmp_path / "subject.py"
        path.write_text(dedent(source), encoding="utf-8")
        return check(f"{path}:{function}", **{"budget": 5, **options})

    return run


def only(report: Report) -> Any:
    assert len(report.findings) == 1, report
    return report.findings[0]


# -- the grammar ------------------------------------------------------------------------------------


def test_fields_go_on_until_a_blank_line_or_the_next_field() -> None:
    text = "Doc.\n\n:assume: a,\n  b\n:ensure: c\n\nprose: here\n:types: a: int"
    assert [(f.name, " ".join(f.text.split()), f.line) for f in contracts.fields(text)] == [
        ("assume", "a, b", 2),
        ("ensure", "c", 4),
        ("types", "a: int", 7),
    ]


@pytest.mark.parametrize("word", ["types", "type"])
def test_types_with_alternatives_are_all_explored(tmp_path: Path, word: str) -> None:
    path = tmp_path / "m.py"
    path.write_text(f'def f(a, b):\n    """:{word}: a: int, b: [int, list]"""\n    return isinstance(b, list)\n')
    results = {p.result for p in explore(f"{path}:f", mode="peer")}
    assert results == {True, False}


def test_self_is_the_class_and_star_args_a_list_and_list_a_list_of_int(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(
        dedent(
            '''
            class C:
                def __init__(self, n: int) -> None:
                    self.n = n

                def m(self, l, *args):
                    """:types: l: list"""
                    if self.n > 0 and len(args) > 0 and len(l) > 0 and l[0] > 5:
                        return True
                    return False
            '''
        )
    )
    paths = list(explore(f"{path}:C.m", mode="peer", strategy="generational", max_runs=100))
    assert all(p.call.startswith("{'self': C(n=") for p in paths)
    assert {True, False} <= {bool(p.result) for p in paths}


def test_a_wrong_guess_of_a_type_is_no_finding(checked: Any) -> None:
    report = checked("def f(x):\n    x.missing_everywhere(1)\n    return x")
    assert report.findings == []
    assert any("raises AttributeError" in note and "no type is declared for x" in note for note in report.documented)


def test_assume_restricts_the_inputs(checked: Any) -> None:
    report = checked('def f(x: int) -> int:\n    """:assume: x > 0, x < 100"""\n    return 1 // x')
    assert report.verdict == VERIFIED


def test_an_assumption_that_cannot_be_evaluated_refuses_the_input(checked: Any) -> None:
    report = checked('def f(l: list[int]) -> int:\n    """:assume: l[0] > 0"""\n    return 1 // l[0]')
    assert not report.findings


@pytest.mark.parametrize("word", ["ensure", "ensures"])
def test_ensure_is_checked_on_every_path(checked: Any, word: str) -> None:
    report = checked(f'def f(x: int) -> int:\n    """:{word}: returnv >= 0"""\n    return x if x > -100 else -x')
    finding = only(report)
    assert (finding.kind, finding.clause, finding.place.line) == ("postcondition", "returnv >= 0", 2)


def test_a_violation_that_no_run_happened_on_is_found_by_asking_the_solver(checked: Any) -> None:
    report = checked('def f(x: int) -> int:\n    """:ensure: returnv != 987654321"""\n    return x * 3')
    assert only(report).arguments == {"x": "329218107"}


def test_names_in_ensure_mean_initial_values(checked: Any) -> None:
    source = '''
        def f(l: list[int]) -> None:
            """:assume: len(l) <= 2
            :ensure: len(l) == old(len(l)), len(new(l)) == len(l) + 1"""
            l.append(1)
        '''
    assert not checked(source).findings


def test_a_comma_is_a_conjunction_and_clauses_may_have_several_lines(checked: Any) -> None:
    source = '''
        def f(x: int) -> int:
            """
            :ensure: returnv == x,
                     returnv < 10,
                     (returnv
                      > -10)
            """
            return x
        '''
    assert {(f.clause, f.place.line) for f in checked(source).findings} == {
        ("returnv < 10", 5),
        ("returnv > -10", 6),
    }


def test_contracts_may_name_what_is_in_scope(checked: Any) -> None:
    source = '''
        LIMIT = 7

        def spec(x: int) -> int:
            n = 0
            while n < x:
                n += 1
            return n

        def f(x: int) -> int:
            """:assume: 0 <= x, x <= LIMIT
            :ensure: returnv == spec(x)"""
            return x if x != 5 else 6
        '''
    assert only(checked(source)).arguments == {"x": "5"}


RAISES = '''
    def f(i: int, j: int) -> int:
        """
        {clauses}
        """
        if i == 7:
            raise KeyError(i)
        return i // j
    '''


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        (":raises: ZeroDivisionError: j == 0\n        :raises: KeyError: i == 7", set()),
        (":raises: ZeroDivisionError: j == 0", {"KeyError"}),
        (":raises: (ZeroDivisionError, KeyError)", set()),
        (":raises: LookupError\n        :raises: ArithmeticError", set()),
        (":raises: any", set()),
        (":raises: any: j == 0 or i == 7", set()),
        (":raises: any: j == 0", {"KeyError"}),
        # The first clause that matches decides, even if a later one would allow it.
        (":raises: KeyError: i == 8\n        :raises: any", {"KeyError"}),
        (":raises: any: i == 8\n        :raises: KeyError", {"KeyError", "ZeroDivisionError"}),
        # Without a PEF clause, what Python raises is a bug, and what the program raises is documented.
        ("", {"ZeroDivisionError"}),
        # Sphinx's prose documents an exception.
        (":raises ZeroDivisionError: when j is zero", set()),
    ],
)
def test_raises(checked: Any, clauses: str, found: set[str]) -> None:
    report = checked(RAISES.format(clauses=clauses))
    assert {f.what.partition(":")[0] for f in report.findings} == found
    assert {f.kind for f in report.findings} <= {"raises", "exception"}


def test_the_condition_of_raises_is_falsified_by_the_solver(checked: Any) -> None:
    source = '''
        def f(x: int) -> int:
            """:raises: ValueError: x != 123456"""
            if x > 100:
                raise ValueError
            return x
        '''
    assert only(checked(source)).arguments == {"x": "123456"}


def test_a_path_that_raises_checks_only_raises(checked: Any) -> None:
    source = '''
        def f(x: int) -> int:
            """:ensure: returnv > 0
            :raises: ValueError: x <= 0"""
            if x <= 0:
                raise ValueError
            return x
        '''
    assert checked(source).verdict == VERIFIED


def test_what_the_solver_cannot_decide_is_said(checked: Any) -> None:
    source = '''
        def f(x: int, y: int, z: int) -> bool:
            """:assume: x > 2, y > 2, z > 2
            :ensure: returnv"""
            return x**3 + y**3 != z**3
        '''
    report = checked(source, budget=3)
    assert report.verdict == NOTHING
    assert report.unexplored


# -- final states -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("new(self.balance) == old(self.balance) - amount", 0),
        ("new(self).balance == self.balance - amount", 0),
        ("new(self.balance) == old(self.balance)", 1),
        ("new(self.balance) + amount == old(self.balance), new(self.log) == old(self.log) + [amount]", 0),
        ("new(len(self.log)) == old(len(self.log))", 1),
        ("self.balance == old(self.balance)", 0),
    ],
)
def test_old_and_new(checked: Any, clause: str, found: int) -> None:
    source = f'''
        class Account:
            def __init__(self, balance: int) -> None:
                self.balance = balance
                self.log: list[int] = []

            def pay(self, amount: int) -> None:
                """
                :assume: amount != 0
                :ensure: {clause}
                """
                self.balance -= amount
                self.log.append(amount)
        '''
    assert len(checked(source, "Account.pay").findings) == found


def test_old_of_a_global_is_its_value_before_the_call(checked: Any) -> None:
    source = '''
        COUNT = [0]

        def f(x: int) -> None:
            """:ensure: COUNT[0] == old(COUNT[0]) + 1"""
            COUNT[0] += 1 if x != 3 else 2
        '''
    assert only(checked(source)).arguments == {"x": "3"}


def test_a_function_may_have_its_own_old_and_new(checked: Any) -> None:
    source = '''
        def f(old: int, new: int) -> int:
            """:ensure: returnv == old + new"""
            return old + new
        '''
    assert checked(source).verdict == VERIFIED


# -- called functions, asserts, invariants ----------------------------------------------------------


def test_a_broken_precondition_of_a_called_function_is_found_at_the_call(checked: Any) -> None:
    source = '''
        def half(n: int) -> int:
            """:assume: n % 2 == 0"""
            return n // 2

        def f(x: int) -> int:
            return half(x * 2) + half(x + 1)
        '''
    finding = only(checked(source))
    assert (finding.kind, finding.place.line, finding.clause) == ("precondition", 7, "n % 2 == 0")
    assert finding.place.caret().splitlines()[1].strip() == "^" * len("half(x + 1)")


def test_a_broken_postcondition_of_a_called_function_is_found(checked: Any) -> None:
    source = '''
        def size(x: int) -> int:
            """:ensure: returnv >= 0"""
            return x if x > -1000 else -x

        def f(a: int, b: int) -> int:
            return size(a - b)
        '''
    finding = only(checked(source))
    assert (finding.kind, finding.place.line) == ("postcondition", 3)


def test_recursive_calls_are_checked_as_calls(checked: Any) -> None:
    source = '''
        def f(n: int) -> int:
            """:assume: 0 <= n, n <= 9"""
            return 0 if n == 0 else 1 + f(n - 2)
        '''
    assert (only(checked(source)).kind, only(checked(source)).clause) == ("precondition", "0 <= n")


def test_a_handler_of_the_program_does_not_swallow_a_violation(checked: Any) -> None:
    source = '''
        def g(n: int) -> int:
            """:assume: n > 0"""
            return n

        def f(n: int) -> int:
            try:
                return g(n)
            except Exception:
                return 0
        '''
    assert only(checked(source)).kind == "precondition"


def test_a_failed_assert_is_a_finding(checked: Any) -> None:
    finding = only(checked("def f(x: int) -> int:\n    assert x * 2 != 84, 'the answer'\n    return x"))
    assert (finding.kind, finding.arguments, finding.what) == ("assertion", {"x": "42"}, "AssertionError: the answer")


INVARIANT = '''
    class Box:
        def __init__(self, n: int) -> None:
            {init}
            self.n = n

        def {name}(self):
            {body}

        def take(self, k: int) -> None:
            self.n -= k
            self.add(k)
            self.n -= k

        def add(self, k: int) -> None:
            self.n += k
    '''


@pytest.mark.parametrize("name", ["repok", "invariant", "__invariant__"])
@pytest.mark.parametrize("body", ["return self.n >= 0", "assert self.n >= 0"])
def test_an_invariant_holds_after_each_public_method(checked: Any, name: str, body: str) -> None:
    source = INVARIANT.format(init="assert n >= 0", name=name, body=body)
    finding = only(checked(source, "Box.take"))
    assert (finding.kind, finding.clause, finding.place.function) == ("invariant", f"Box.{name}()", "Box.take")


def test_a_constructor_that_breaks_the_invariant_is_found(checked: Any) -> None:
    source = INVARIANT.format(init="pass", name="repok", body="return self.n >= 0")
    first, second = checked(source, "Box.add").findings
    assert (first.kind, first.place.line, first.arguments["self"]) == ("invariant", 3, "Box(n=-1)")
    assert (second.kind, second.place.line, second.arguments["self"]) == ("invariant", 15, "Box(n=0)")


def test_an_invariant_is_checked_on_objects_that_are_made_on_the_way(checked: Any) -> None:
    source = '''
        class Even:
            def __init__(self, n: int) -> None:
                self.n = n

            def repok(self) -> bool:
                return self.n % 2 == 0

        def f(x: int) -> Even:
            return Even(x * 2) if x != 55 else Even(x)
        '''
    finding = only(checked(source))
    assert (finding.kind, finding.arguments) == ("invariant", {"x": "55"})


def test_inheritance_keeps_the_invariant(checked: Any) -> None:
    source = '''
        class Base:
            def __init__(self, n: int) -> None:
                self.n = abs(n)

            def repok(self) -> bool:
                return self.n >= 0

        class Child(Base):
            def __init__(self, n: int, m: int) -> None:
                super().__init__(n)
                self.m = m

            def drop(self, k: int) -> None:
                self.n = self.m - k if k == 12 else self.n
        '''
    assert only(checked(source, "Child.drop")).kind == "invariant"


# -- other packages ---------------------------------------------------------------------------------

needs_icontract = pytest.mark.skipif(importlib.util.find_spec("icontract") is None, reason="needs icontract")
needs_deal = pytest.mark.skipif(importlib.util.find_spec("deal") is None, reason="needs deal")


@needs_icontract
@pytest.mark.parametrize(
    ("function", "kind", "arguments"),
    [
        ("kept", None, {}),
        ("broken", "postcondition", {"x": "77"}),
        ("caller", "precondition", {"x": "0"}),
        ("grows", "postcondition", {"items": "[]"}),
    ],
)
def test_icontract_is_honoured(checked: Any, function: str, kind: str | None, arguments: dict[str, str]) -> None:
    source = '''
        import icontract

        @icontract.require(lambda x: x > 0)
        @icontract.ensure(lambda x, result: result >= x)
        def kept(x: int) -> int:
            return x + 1

        @icontract.ensure(lambda x, result: result == x)
        def broken(x: int) -> int:
            return x if x != 77 else 0

        def caller(x: int) -> int:
            return kept(x) if x >= 0 else 0

        @icontract.snapshot(lambda items: len(items), name="size")
        @icontract.ensure(lambda items, OLD: len(items) == OLD.size)
        def grows(items: list[int]) -> None:
            items.append(1)
        '''
    report = checked(source, function)
    if kind is None:
        assert not report.findings
    else:
        assert (only(report).kind, only(report).arguments) == (kind, arguments)


@needs_icontract
def test_invariants_of_icontract(checked: Any) -> None:
    source = '''
        import icontract

        @icontract.invariant(lambda self: self.n >= 0)
        class Box:
            def __init__(self, n: int) -> None:
                self.n = n{fix}

            def take(self, k: int) -> None:
                """:assume: 0 <= k"""
                self.n -= k
        '''
    constructed = checked(source.format(fix=""), "Box.take").findings
    assert {f.kind for f in constructed} == {"invariant"}
    method = checked(source.format(fix=" * n"), "Box.take").findings
    assert [(f.kind, f.arguments) for f in method] == [("invariant", {"self": "Box(n=0)", "k": "1"})]


@needs_deal
@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("kept", None),
        ("broken", "postcondition"),
        ("ensured", "postcondition"),
        ("caller", "precondition"),
        ("raising", "raises"),
        ("Box.take", "invariant"),
    ],
)
def test_deal_is_honoured(checked: Any, function: str, kind: str | None) -> None:
    source = '''
        import deal

        @deal.pre(lambda x: x > 0)
        @deal.post(lambda result: result > 1)
        def kept(x: int) -> int:
            return x + 1

        @deal.post(lambda result: result != 77)
        def broken(x: int) -> int:
            return x

        @deal.ensure(lambda x, result: result > x)
        def ensured(x: int) -> int:
            return x + 1 if x != 77 else x

        def caller(x: int) -> int:
            return kept(x)

        @deal.raises(ValueError)
        def raising(x: int) -> int:
            return 1 // x

        @deal.inv(lambda self: self.n >= 0)
        class Box:
            def __init__(self, n: int) -> None:
                self.n = abs(n)

            def take(self, k: int) -> None:
                self.n -= k
        '''
    report = checked(source, function)
    assert {f.kind for f in report.findings} == ({kind} if kind else set())


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        (":ensure: returnv ==", r"subject.py:6: contract of f: :ensure: returnv == is no Python"),
        (":ensure: retrunv > 0", r"subject.py:6: .*:ensure: retrunv > 0: nothing is called 'retrunv' there"),
        (":assume: returnv > 0", r"subject.py:6: .*nothing is called 'returnv' there"),
        (":assume: x > 0,\n                 y > 0", r"subject.py:7: .*nothing is called 'y' there"),
        (":assume: old(x) > 0", r"subject.py:6: .*old and new belong in :ensure:"),
        (":ensure: new(LIMIT) > 0", r"subject.py:6: .*new\(LIMIT\) is no argument"),
        (":raises: Missing: x > 0", r"subject.py:6: .*'Missing' is no exception"),
        (":raises: 3: x > 0", r"subject.py:6: .*wants `Exception: condition`"),
        (":types: x", r"subject.py:6: .*wants `name: type, name: type`, not 'x'"),
        (":assume:", r"subject.py:6: .*:assume: says nothing"),
    ],
)
def test_an_error_in_a_contract_is_said_with_file_line_and_clause(checked: Any, clause: str, message: str) -> None:
    source = f'''LIMIT = 3

def f(x: int) -> int:
    """What it does.

    {clause}
    """
    return x
'''
    with pytest.raises(InputError, match=message) as caught:
        checked(source)
    assert "\n" not in str(caught.value)


def test_an_argument_called_returnv_is_an_error(checked: Any) -> None:
    with pytest.raises(InputError, match="an argument called 'returnv' hides the result"):
        checked('def f(returnv: int) -> int:\n    """:ensure: returnv > 0"""\n    return returnv')


def test_lines_are_found_below_decorators(checked: Any) -> None:
    source = '''
        import functools

        @functools.cache
        def f(x: int) -> int:
            """Cached.

            :ensure: nobody
            """
            return x
        '''
    with pytest.raises(InputError, match=r"subject.py:8: contract of"):
        checked(source)
