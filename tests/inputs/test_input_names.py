"""Names of input variables: their fields, whoever builds them, and that nobody reads a name's text."""

from __future__ import annotations

import ast
import collections
import copy
import datetime
import decimal
import fractions
import inspect
import pickle
import random
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from project import ROOT, modules

from ramify.runtime.inputs import Maker
from ramify.runtime.inputs.annotations import Context, shape_of
from ramify.runtime.inputs.shapes.call import Arguments, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Choice, Extra
from ramify.runtime.inputs.shapes.containers import DictOf, SetOf, Settled, TupleOf
from ramify.runtime.inputs.shapes.objects import Driven, Instance
from ramify.runtime.inputs.shapes.scalars import Fixed, Scalar
from ramify.runtime.proposals import Draws
from ramify.runtime.recording import Rejected
from ramify.runtime.sandbox import travel
from ramify.runtime.terms import INT, STR, InputKind, InputName, argument, kind_of, named, var

K = InputKind
X = argument("x")

# For each type: names that its inputs have, with kind, owner and place.
BUILT: list[tuple[Any, dict[str, tuple[InputKind, str, Any]]]] = [
    (list[bool], {"len(x)": (K.LENGTH, "x", None), "x[0]": (K.ITEM, "x", 0), "x[1]": (K.ITEM, "x", 1)}),
    (list[list[bool]], {"len(x[0])": (K.LENGTH, "x[0]", None), "x[0][1]": (K.ITEM, "x[0]", 1)}),
    (tuple[bool, ...], {"len(x)": (K.LENGTH, "x", None), "x[0]": (K.ITEM, "x", 0)}),
    (collections.deque[int], {"len(x)": (K.LENGTH, "x", None), "x[0]": (K.ITEM, "x", 0)}),
    (tuple[int, str], {"x[0]": (K.ITEM, "x", 0), "x[1]": (K.ITEM, "x", 1)}),
    (dict[str, int], {
        "len(x)": (K.LENGTH, "x", None), "list(x)[0]": (K.KEY, "x", 0), "list(x.values())[1]": (K.VALUE, "x", 1),
    }),
    (dict[str, list[bool]], {"len(list(x.values())[0])": (K.LENGTH, "list(x.values())[0]", None)}),
    (set[int], {"len(x)": (K.LENGTH, "x", None), "list(x)[0]": (K.KEY, "x", 0)}),
    (frozenset[str], {"len(x)": (K.LENGTH, "x", None), "list(x)[1]": (K.KEY, "x", 1)}),
    (int | str, {"choice(x)": (K.CHOICE, "x", None), "x": (K.ARGUMENT, "", None)}),
    (complex, {"x.real": (K.PART, "x", "real"), "x.imag": (K.PART, "x", "imag")}),
    (datetime.date, {f"x.{part}": (K.PART, "x", part) for part in ("year", "month", "day")}),
    (decimal.Decimal, {"x.scaleb(2)": (K.PART, "x", "scaleb(2)")}),
    (fractions.Fraction, {f"x.{part}": (K.PART, "x", part) for part in ("numerator", "denominator")}),
    (range, {"choice(x.step)": (K.CHOICE, "x.step", None), "x.start": (K.PART, "x", "start")}),
    (slice, {"choice(x.stop)": (K.CHOICE, "x.stop", None), "x.stop": (K.PART, "x", "stop")}),
    (re.Pattern, {"choice(x)": (K.CHOICE, "x", None)}),
    (typing.TypedDict("Film", {"name": str, "year": typing.NotRequired[int]}), {
        "'year' in x": (K.PRESENCE, "x", "year"), "x['name']": (K.ENTRY, "x", "name"),
        "x['year']": (K.ENTRY, "x", "year"),
    }),
    (typing.TypeVar("Word", str, bytes), {"choice(Word)": (K.CHOICE, "Word", None)}),
]  # fmt: skip


def fields(name: InputName) -> tuple[InputKind, str, Any]:
    return name.kind, str(name.owner or ""), name.place


def built(shape: Any, **options: Any) -> dict[str, InputName]:
    """The names of the variables of many inputs of a shape."""
    draws = Draws(1)
    found: dict[str, InputName] = {}
    for seed in range(60):
        draws.random = random.Random(seed)
        make = Maker({}, plain=True, draw=draws.fresh, home=__name__, **options)
        try:
            shape.build(X, make, 0)
        except Rejected:
            continue
        assert all(type(name) is InputName for name in make.assignment)
        found.update((str(name), typing.cast(InputName, name)) for name in make.assignment)
    return found


@pytest.mark.parametrize(("annotation", "names"), BUILT, ids=lambda value: str(value)[:40])
def test_the_names_that_shapes_build_have_their_fields(annotation: Any, names: dict[str, Any]) -> None:
    found = built(shape_of(annotation, Context("x", dict(vars(typing)))))
    assert {text: fields(found[text]) for text in names} == names
    assert {str(name.root) for name in found.values()} <= {"x", "Word"}
    assert all(name is named(name) and fields(name) == fields(rebuilt(name)) for name in found.values())


def rebuilt(name: InputName) -> InputName:
    return name if name.owner is None else rebuilt(name.owner).of(name.kind, name.place)


def test_functions_note_how_they_were_called() -> None:
    make = Maker({}, plain=True)
    stub = shape_of(typing.Callable[..., int], Context("x", dict(vars(typing)))).build(X, make, 0)
    stub(1)
    stub(key=2)
    found = {str(name): fields(typing.cast(InputName, name)) for name in make.assignment}
    assert found == {
        "x.calls": (K.NOTE, "x", "calls"), "x.named": (K.NOTE, "x", "named"),
        "x.result0": (K.PART, "x", "result0"), "x.argument0": (K.NOTE, "x", "argument0"),
        "x.call0": (K.NOTE, "x", "call0"), "x.result1": (K.PART, "x", "result1"),
        "x.argument1": (K.NOTE, "x", "argument1"), "x.call1": (K.NOTE, "x", "call1"),
    }  # fmt: skip


class Account:
    def __init__(self, owner: str = "") -> None:
        self.owner, self.paid = owner, 0

    def pay(self, amount: int) -> None:
        self.paid += amount

    def empty(self) -> None:
        self.paid = 0


def test_objects_name_the_arguments_of_what_makes_and_changes_them() -> None:
    owner = ShapedParameter("owner", inspect.Parameter.POSITIONAL_OR_KEYWORD, Scalar(STR), 3, guessed=True)
    amount = ShapedParameter("amount", inspect.Parameter.POSITIONAL_OR_KEYWORD, Scalar(INT))
    shape = Driven(
        Instance(Account, lambda: Arguments([owner])),
        lambda: {"pay": Arguments([amount]), "empty": Arguments([])},
    )
    found = {text: fields(name) for text, name in built(shape, calls=2).items()}
    assert found == {
        "omitted(x.owner)": (K.OMISSION, "x.owner", None), "x.owner": (K.PART, "x", "owner"),
        "len(calls(x))": (K.LENGTH, "calls(x)", None),
        "choice(x.call0)": (K.CHOICE, "x.call0", None), "x.call0.amount": (K.PART, "x.call0", "amount"),
        "choice(x.call1)": (K.CHOICE, "x.call1", None), "x.call1.amount": (K.PART, "x.call1", "amount"),
    }  # fmt: skip
    assert argument("x").of(K.CALLS).length.owner is X.of(K.CALLS)


def test_arguments_name_what_is_left_out_and_what_is_shared() -> None:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shape = shape_of(list[bool], Context("x", {}))
    parameters = [ShapedParameter(name, kind, shape, *default) for name, default in (("a", ()), ("b", ([1],)))]
    make = Maker({}, plain=True)
    Arguments(parameters, target=True).build(make, 0)
    found = {str(name): fields(typing.cast(InputName, name)) for name in make.assignment}
    assert found["omitted(b)"] == (K.OMISSION, "b", None)
    assert found["b is a"] == (K.IDENTITY, "b", "a")


def every_kind() -> Iterator[InputName]:
    yield X
    places = {K.PART: "real", K.NOTE: "calls", K.ITEM: 3, K.ENTRY: "a'b", K.KEY: 0, K.VALUE: 1, K.PRESENCE: "k"}
    for kind in list(K)[1:]:
        yield X.item(2).of(kind, places.get(kind, "y" if kind is K.IDENTITY else None))


@pytest.mark.parametrize("name", list(every_kind()), ids=str)
def test_a_name_is_one_object_wherever_it_has_been(name: InputName) -> None:
    texts = [pickle.dumps(name, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    assert all(pickle.loads(text) is name for text in texts)
    assert travel.loads(travel.dumps(name)) is name
    (again,) = travel.loads(travel.dumps({name: 1}))
    assert again is name
    assert copy.deepcopy(name) is copy.copy(name) is name
    assert pickle.loads(pickle.dumps(var(name, INT))) is var(name, INT)
    assert var(rebuilt(name), INT).value == name


def test_a_name_is_its_text_for_whoever_compares_or_prints() -> None:
    name = X.key(1)
    assert name == "list(x)[1]"
    assert hash(name) == hash("list(x)[1]")
    assert {name: 5}["list(x)[1]"] == {"list(x)[1]": 5}[name] == 5
    assert (f"{name}", repr(name), str(name)) == ("list(x)[1]", "'list(x)[1]'", "list(x)[1]")
    assert type(str(name)) is str
    assert X.item(None) == "x[]"
    assert X.entry("k") == "x['k']"
    assert X.entry("k") is not X.item("k")


def test_hand_written_names_are_arguments() -> None:
    assert kind_of("n") is K.ARGUMENT
    assert named("n") is argument("n")
    assert kind_of(X.length) is K.LENGTH
    assert named(X.length) is X.length


READING = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "find",
    "rfind", "index", "rindex", "match", "fullmatch", "search",
}  # fmt: skip
MARKS = ("choice(", "len(", "list(", "calls(", "omitted(", ".values())", " is ")


def names_read(tree: ast.Module) -> list[int]:
    """The lines at which a text is taken apart at a mark that only printed names have."""
    found = []
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING:
            asked = [*node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            asked = [node.left]
        texts = [part.value for arg in asked for part in ast.walk(arg) if isinstance(part, ast.Constant)]
        if any(isinstance(text, str) and text.startswith(MARKS) for text in texts):
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


def names_written(tree: ast.Module) -> list[int]:
    """The lines at which a text is put together that looks like a printed name."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and isinstance(node.values[0], ast.Constant)
        and node.values[0].value in ("choice(", "len(", "calls(", "omitted(")
    ]


def test_nobody_reads_the_text_of_a_name() -> None:
    read = {path.relative_to(ROOT).as_posix(): names_read(tree) for path, tree in modules(folders=["runtime"])}
    assert {path: lines for path, lines in read.items() if lines} == {}


def test_names_are_put_together_in_one_module_only() -> None:
    written = [path.stem for path, tree in modules(folders=["runtime"]) if names_written(tree)]
    assert written == ["input_names"]


def test_reading_a_name_is_noticed(tmp_path: Path) -> None:
    lines = [
        'name.startswith("choice(")', 'name.startswith(("len(", "choice("))', 'name.removeprefix("list(")',
        '"len(" in name', 'name.partition(" is ")', 're.match("len(.*)", name)', 'name.endswith(".values())")',
    ]  # fmt: skip
    assert names_read(ast.parse("\n".join(lines))) == list(range(1, len(lines) + 1))
    assert names_read(ast.parse('name.startswith("_")\n"a" in name\n"len(" + name')) == []
    assert names_written(ast.parse('f"len({name})"\nf"{name}.len"')) == [1]


@pytest.mark.parametrize("container", [list[bool], dict[str, int], set[str], tuple[int, ...], int])
def test_what_is_outside_its_type_belongs_to_an_argument_wherever_it_stands(container: Any) -> None:
    inner = shape_of(container, Context("x", dict(vars(typing))))
    odd = Choice((Extra(Fixed(None), outside=True), inner))
    dicts = DictOf(odd, Scalar(INT)), DictOf(Scalar(INT), odd)
    for shape in (odd, Settled(odd), *dicts, SetOf(odd), TupleOf((odd,))):
        make = Maker({X.length: 1}, plain=True)
        shape.build(X, make, 0)
        assert [name.root for name in make.outside] == [X]
