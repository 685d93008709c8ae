"""The arguments of a call: how they are built, passed and written down, also left out or shared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, Shape
from ramify.runtime.inputs.shapes.choices import Choice
from ramify.runtime.inputs.shapes.literals import literal
from ramify.runtime.inputs.shapes.scalars import Fixed, Scalar
from ramify.runtime.terms import BOOL, InputKind, InputName, argument

EMPTY = inspect.Parameter.empty
POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
REST = inspect.Parameter.VAR_POSITIONAL
KEYWORD = inspect.Parameter.KEYWORD_ONLY
KEYWORDS = inspect.Parameter.VAR_KEYWORD


@dataclass(frozen=True, slots=True)
class ShapedParameter:
    """One parameter with the shape of its input; without one it is always left at its default."""

    name: str
    kind: Any  # inspect's kind of parameter
    shape: Shape | None
    default: Any = EMPTY
    guessed: bool = False  # nothing declares its type
    unchecked: bool = False  # its declaration says `Any`
    wide: bool = False  # its declaration allows objects of classes that nobody knows: `object`, `Iterable`
    omissible: bool = False  # leaving it out matters even if giving the default looks the same

    @property
    def covered(self) -> bool:
        """Whether giving the default cannot be told from leaving it out: an immutable value of the shape."""
        if self.omissible:
            return False
        alternatives = self.shape.alternatives if isinstance(self.shape, Choice) else (self.shape,)
        return any(
            (isinstance(s, Scalar) and s.kind is type(self.default))
            or (isinstance(s, Fixed) and s.value is self.default)
            for s in alternatives
        )


class Written(dict[str, str]):
    """The arguments of a call as Python expressions by parameter, and what they need: statements before them and
    modules to import. `call` is what stands between the parentheses; `globals` are the names of the module that
    the statements set; `outside` are the inputs that are not of their declared type.
    """

    def __init__(
        self,
        texts: dict[str, str],
        call: str = "",
        setup: Sequence[str] = (),
        imports: Sequence[str] = (),
        globals: Sequence[str] = (),
        outside: Sequence[InputName] = (),
    ) -> None:
        super().__init__(texts)
        self.call = call
        self.setup = list(setup)
        self.imports = list(imports)
        self.globals = tuple(globals)
        self.outside = tuple(outside)

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of."""
        return dict(self), self.call, self.setup, self.imports, self.globals, self.outside

    def __reduce__(self) -> tuple[Any, ...]:
        return Written, self.parts

    def of(self, function: str) -> str:
        """The whole call of a function for people, with the statements that come before it."""
        call = self.call
        if function.endswith(".__init__") and self:
            function = function.removesuffix(".__init__")
            # A constructor is shown as the call of its class; the blank object is Python's own affair.
            name, blank = next(iter(self.items()))
            call = call.removeprefix(f"{name}=").removeprefix(blank).removeprefix(", ")
        return "; ".join([*self.setup, f"{function}({call})"])


NOTHING_WRITTEN = Written({})


@dataclass(slots=True)
class Call:
    """Arguments ready to be passed. `names` are what a contract may call by name, defaults included."""

    names: dict[str, Any] = field(default_factory=dict)
    positional: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)

    def perform(self, function: Callable[..., Any]) -> Any:
        return function(*self.positional, **self.keywords)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The inputs of a call. Those of the target may be left out or shared; those of a constructor are given
    unless nothing says what they are: what it makes of them is what matters.
    """

    parameters: Sequence[ShapedParameter]
    target: bool = False

    def build(self, make: Maker, level: int, owner: InputName | None = None) -> Call:
        call = Call()
        skipped = False
        for parameter in self.parameters:
            name = argument(parameter.name) if owner is None else owner.part(parameter.name)
            omitted = (skipped and parameter.kind in (POSITIONAL_ONLY, REST)) or self._omitted(
                parameter, name, make, make.flag
            )
            if omitted:
                skipped = skipped or parameter.kind in (POSITIONAL_ONLY, POSITIONAL)
                if parameter.kind not in (REST, KEYWORDS):
                    call.names[parameter.name] = parameter.default
                continue
            assert parameter.shape is not None
            twin = self._twin(parameter, call, make)
            if twin is not None and make.flag(_identity(parameter.name, twin), False):
                value = call.names[twin]
            else:
                value = parameter.shape.build(name, make, level)
            call.names[parameter.name] = value
            if parameter.kind is REST:
                call.positional.extend(value)
            elif parameter.kind is KEYWORDS:
                call.keywords.update(value)
            elif parameter.kind is KEYWORD or (skipped and parameter.kind is POSITIONAL):
                call.keywords[parameter.name] = value
            else:
                call.positional.append(value)
        return call

    def texts(self, make: Maker, level: int, owner: InputName | None = None) -> dict[str, str]:
        """The arguments that are given, as Python expressions by parameter."""
        texts: dict[str, str] = {}
        skipped = False
        for parameter in self.parameters:
            name = argument(parameter.name) if owner is None else owner.part(parameter.name)
            omitted = (skipped and parameter.kind in (POSITIONAL_ONLY, REST)) or self._omitted(
                parameter, name, make, lambda flag, usual: bool(make.value(flag, BOOL, usual))
            )
            if omitted:
                skipped = skipped or parameter.kind in (POSITIONAL_ONLY, POSITIONAL)
                continue
            assert parameter.shape is not None
            twin = self._shared(parameter, texts, make)
            if twin is not None:
                # Named once, so that both arguments are written as the one object.
                if texts[twin] != twin:
                    make.setup.append(f"{twin} = {texts[twin]}")
                    texts[twin] = twin
                texts[parameter.name] = twin
            else:
                texts[parameter.name] = parameter.shape.text(name, make, level)
        if self.target and make.alternatives:
            self._leave_out_defaults(texts)
        return texts

    def written(self, texts: dict[str, str]) -> str:
        """What stands between the parentheses of the call."""
        parts: list[str] = []
        given = [p for p in self.parameters if p.name in texts]
        # With `*args` given, what stands before it must be passed by position.
        rest = any(p.kind is REST and texts[p.name] not in ("[]", "()") for p in given)
        for parameter in given:
            text = texts[parameter.name]
            if parameter.kind is REST:
                parts += [f"*{text}"] if rest else []
            elif parameter.kind is KEYWORDS:
                parts += [f"**{text}"] if text != "{}" else []
            elif parameter.kind is POSITIONAL_ONLY or (rest and parameter.kind is POSITIONAL):
                parts.append(text)
            else:
                parts.append(f"{parameter.name}={text}")
        return ", ".join(parts)

    def _omitted(
        self, parameter: ShapedParameter, name: InputName, make: Maker, ask: Callable[[InputName, bool], bool]
    ) -> bool:
        if parameter.shape is None:
            return True
        # Leaving it out would show nothing that giving the same value does not.
        if parameter.default is EMPTY or parameter.covered:
            return False
        if self.target:
            return make.alternatives and ask(name.omission, False)
        # Of a constructor, an argument that nothing describes is better left at its default.
        return parameter.guessed and ask(name.omission, True)

    def _leave_out_defaults(self, texts: dict[str, str]) -> None:
        """An argument equal to its default need not be written, unless one behind it is passed by position."""
        rest = any(p.kind is REST and texts.get(p.name, "[]") not in ("[]", "()") for p in self.parameters)
        for parameter in reversed(self.parameters):
            text = texts.get(parameter.name)
            if parameter.kind in (REST, KEYWORDS) or text is None:
                continue
            positional = parameter.kind is POSITIONAL_ONLY or (rest and parameter.kind is POSITIONAL)
            if parameter.default is not EMPTY and parameter.covered and literal(parameter.default) == text:
                if not (positional and rest):
                    del texts[parameter.name]
            elif positional:
                rest = True  # what stands before it has to be given too

    def _twin(self, parameter: ShapedParameter, call: Call, make: Maker) -> str | None:
        """An earlier argument that this one could be the same object as."""
        for earlier in self._like(parameter, make):
            if earlier.name in call.names and is_mutable(call.names[earlier.name]):
                return earlier.name
            make.assignment[_identity(parameter.name, earlier.name)] = False  # nothing that could be shared
        return None

    def _shared(self, parameter: ShapedParameter, texts: dict[str, str], make: Maker) -> str | None:
        for earlier in self._like(parameter, make):
            if earlier.name in texts and make.assignment.get(_identity(parameter.name, earlier.name)) is True:
                return earlier.name
        return None

    def _like(self, parameter: ShapedParameter, make: Maker) -> list[ShapedParameter]:
        if not self.target or not make.alternatives or parameter.kind in (REST, KEYWORDS):
            return []
        before = takewhile(lambda p: p is not parameter, self.parameters)
        # Two parameters of the same type may be one object; the first of several is enough.
        return [p for p in before if p.shape == parameter.shape and p.kind not in (REST, KEYWORDS)][:1]


def _identity(name: str, earlier: str) -> InputName:
    """Whether the argument is the same object as an earlier one."""
    return argument(name).of(InputKind.IDENTITY, earlier)


def is_mutable(value: Any) -> bool:
    """Whether it matters if two names mean one object."""
    kind = type(value)
    if isinstance(value, (int, float, complex, str, bytes, tuple, frozenset, type, range, slice)) or value is None:
        return False
    # A class that defines equality and no hash has none: its objects may change.
    if getattr(kind, "__hash__", None) is None or isinstance(value, (list, dict, set, bytearray)):
        return True
    return hasattr(value, "__dict__") or any("__slots__" in vars(base) for base in kind.__mro__)
