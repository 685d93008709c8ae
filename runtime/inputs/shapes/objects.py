"""Objects of user classes: constructors run on symbolic arguments, and methods are called to build up state."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, counted, length_of
from ramify.runtime.inputs.shapes.call import Arguments
from ramify.runtime.recording import Rejected
from ramify.runtime.terms import InputKind, InputName


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a user's class: its constructor, or a class method that makes one, runs on symbolic
    arguments. One that raises makes no input.
    """

    cls: type
    arguments: Callable[[], Arguments] = field(compare=False)
    factory: str = ""
    decides: bool = True
    is_object: bool = True

    @property
    def kind(self) -> type:
        return self.cls

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        cls: Any = make.resolve(self.cls)
        # Built only now: the arguments of a class may need the class itself.
        call = self.arguments().build(make, level + 1, name)
        maker = getattr(cls, self.factory) if self.factory else cls
        try:
            # The constructor runs on concolic values: what it checks are decisions of the path.
            made = call.perform(maker)
        except Exception as error:
            raise Rejected(f"{self._called(cls)}() raised {type(error).__name__}: {error}") from error
        # A class method may also give None, or an object of another class.
        if self.factory and not isinstance(made, cls):
            raise Rejected(f"{self._called(cls)}() made no {cls.__qualname__}")
        return made

    def text(self, name: InputName, make: Maker, level: int) -> str:
        arguments = self.arguments()
        written = arguments.written(arguments.texts(make, level + 1, name))
        maker = make.named(self.cls) + (f".{self.factory}" if self.factory else "")
        return f"{maker}({written})"

    def _called(self, cls: type) -> str:
        return f"{cls.__qualname__}.{self.factory}" if self.factory else cls.__qualname__


@dataclass(frozen=True, slots=True)
class Driven:
    """An object on which public methods have been called: state that no constructor gives."""

    instance: Any
    methods: Callable[[], dict[str, Arguments]] = field(compare=False)
    decides: bool = True
    is_object: bool = True

    @property
    def kind(self) -> type:
        kind: type = self.instance.kind
        return kind

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        made = self.instance.build(name, make, level)
        methods = self.methods() if make.calls else {}
        if not methods:
            return made
        # How many calls there are is decided first, then which one each is.
        length, _ = counted(name.of(InputKind.CALLS), make, make.calls, True)
        for number in range(length):
            step = name.part(f"call{number}")
            method = list(methods)[make.pick(step.choice, len(methods))]
            call = methods[method].build(make, level + 1, step)
            try:
                call.perform(getattr(made, method))
            except Exception as error:
                raise Rejected(f"{name}.{method}() raised {type(error).__name__}: {error}") from error
        return made

    def text(self, name: InputName, make: Maker, level: int) -> str:
        text: str = self.instance.text(name, make, level)
        methods = self.methods() if make.calls else {}
        length = length_of(name.of(InputKind.CALLS), make, make.calls) if methods else 0
        if not length:
            return text
        variable = re.sub(r"\W+", "_", name)
        make.setup.append(f"{variable} = {text}")
        for number in range(length):
            step = name.part(f"call{number}")
            method = list(methods)[make.picked(step.choice, len(methods))]
            written = methods[method].written(methods[method].texts(make, level + 1, step))
            make.setup.append(f"{variable}.{method}({written})")
        return variable


@dataclass(frozen=True, slots=True)
class Blank:
    """An object that no constructor has touched yet: what `__init__` is called on when it is the target."""

    cls: type
    decides: bool = False

    @property
    def kind(self) -> type:
        return self.cls

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        cls: Any = make.resolve(self.cls)
        try:
            return cls.__new__(cls)
        except Exception as error:
            raise Rejected(f"{cls.__qualname__}.__new__() raised {type(error).__name__}: {error}") from error

    def text(self, name: InputName, make: Maker, level: int) -> str:
        cls = make.named(self.cls)
        return f"{cls}.__new__({cls})"
