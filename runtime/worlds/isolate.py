"""Gives every run a fresh world: the module executed anew, output captured, random numbers and `sys.modules`
restored.

Executing the module's code again restores its globals, class attributes, mutable defaults and caches. What
other modules keep between runs is theirs and is not restored.
"""

from __future__ import annotations

import _signal as _in_c  # type: ignore[import-not-found]
import builtins
import copy
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from time import monotonic as _monotonic
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from ramify.errors import InputError
from ramify.runtime.recording import Cut, Why, is_own
from ramify.runtime.sandbox import Starvation, in_units
from ramify.runtime.worlds.companions import Companions
from ramify.runtime.worlds.target import Source

Recode = Callable[[FunctionType], CodeType]
"""The code to run for a function: its own, or that of an instrumented module."""
# Bound before any target is imported, which may replace or be refused them. Those in C: what `signal` puts around
# them, to give enumerations, costs three times as much.
_signal, _getsignal, _setitimer = _in_c.signal, _in_c.getsignal, getattr(signal, "setitimer", None)
_DEFAULT, _IGNORED = _in_c.SIG_DFL, _in_c.SIG_IGN
_SIGALRM, _SIGINT = getattr(_in_c, "SIGALRM", None), _in_c.SIGINT
_current_thread, _main_thread = threading.current_thread, threading.main_thread
_NEGLIGIBLE, _AGAIN = 0.01, 0.5  # seconds: of a limit, and between alarms that were not heeded


@dataclass(slots=True)
class _Clock:
    """The alarm of this process, of which it has one."""

    struck: int = 0
    starvation: Starvation = field(default_factory=Starvation)


_clock = _Clock()


class Sandbox:
    """A module that is executed anew for every run."""

    def __init__(
        self, source: Source, builtin_models: Mapping[str, Any], companions: Companions | None = None
    ) -> None:
        self.source = source
        self._companions = companions
        self._builtins = whole(builtin_models)

    def fresh(self) -> ModuleType:
        """The module, just executed. It stands in `sys.modules` while a run goes on (see `running`)."""
        source = self.source
        module = ModuleType(source.name)
        module.__file__ = source.path
        module.__package__ = source.package or ("" if source.package is None else source.name)
        module.__spec__ = ModuleSpec(source.name, None, origin=source.path)
        if os.path.basename(source.path) == "__init__.py":
            module.__path__ = [os.path.dirname(source.path)]
            module.__spec__.submodule_search_locations = module.__path__
        # Before the code runs: functions keep the builtins that were there when they were made.
        module.__dict__["__builtins__"] = self._builtins
        # Before the code runs, as imports do: dataclasses and pickle look their own module up.
        sys.modules[source.name] = module
        exec(source.code, module.__dict__)
        return module

    def first(self) -> ModuleType:
        """The module executed for the first time; what goes wrong then is the user's to know."""
        with self.running():
            try:
                if "." in self.source.name:  # as Python does, and a package may import its modules by itself
                    importlib.import_module(self.source.name.rpartition(".")[0])
                return self.fresh()
            # A script without a `__main__` guard may call `sys.exit` when it is imported.
            except (Exception, SystemExit) as error:
                raise InputError(
                    f"{self.source.path}: importing it raised {type(error).__name__}: {error}{_where(error)}"
                ) from error

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around a whole run: afterwards `sys.modules` and `sys.path` are as before."""
        name, folder = self.source.name, self.source.folder
        before = sys.modules.get(name)
        if folder is not None:
            sys.path.insert(0, folder)
        try:
            with nullcontext() if self._companions is None else self._companions.present():
                yield
        finally:
            if folder is not None and folder in sys.path:
                sys.path.remove(folder)
            if before is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = before


def _where(error: BaseException) -> str:
    """The innermost line of the user's that an exception came through."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not is_own(file) and not file.startswith("<frozen"):
            found = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found


class Clone:
    """A function without a module that could be executed again (from a shell, a closure): its namespace is
    copied.
    """

    def __init__(
        self, function: FunctionType, builtin_models: Mapping[str, Any], recode: Recode | None = None
    ) -> None:
        self.function = function
        self._recode = recode if recode is not None else (lambda function: function.__code__)
        self._names = names_used(function)
        self._builtins = whole(builtin_models)

    def fresh(self) -> FunctionType:
        """The function in a copy of its global namespace, in which its module's other functions are copied
        too.
        """
        scope = self.function.__globals__
        world: dict[str, Any] = {}
        for name, value in scope.items():
            if isinstance(value, FunctionType) and value.__globals__ is scope:
                world[name] = self._copy(value, world)
            else:
                # Copying what the function never touches may be slow or impossible.
                mutable = type(value) in (list, dict, set, bytearray) and name in self._names
                world[name] = copied(value) if mutable else value
        world["__builtins__"] = self._builtins
        return self._copy(self.function, world)

    def _copy(self, function: FunctionType, world: dict[str, Any]) -> FunctionType:
        defaults = function.__defaults__ and tuple(map(copied, function.__defaults__))
        made = FunctionType(self._recode(function), world, function.__name__, defaults, function.__closure__)
        world.setdefault("__builtins__", self._builtins)
        made.__kwdefaults__ = function.__kwdefaults__ and {
            k: copied(v) for k, v in function.__kwdefaults__.items()
        }
        made.__dict__.update(function.__dict__)
        made.__doc__, made.__qualname__, made.__annotations__ = (
            function.__doc__,
            function.__qualname__,
            function.__annotations__,
        )
        made.__module__ = function.__module__
        return made


def whole(names: Mapping[str, Any]) -> dict[str, Any]:
    """A module's builtins: a whole set as it is, a few names together with the usual ones."""
    return names if isinstance(names, dict) and "__build_class__" in names else {**vars(builtins), **names}


def names_used(function: FunctionType) -> set[str]:
    """The global names that a function, or a function of the same module that it names, may use."""
    names: set[str] = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        for name in code.co_names:
            if name not in names:
                names.add(name)
                found = function.__globals__.get(name)
                if isinstance(found, FunctionType) and found.__globals__ is function.__globals__:
                    codes.append(found.__code__)
    return names


def copied(value: Any) -> Any:
    """A deep copy, or the object itself if it cannot be copied."""
    try:
        # Modules, locks and open files cannot be copied; classes and functions come back as they are.
        return copy.deepcopy(value)
    except Exception:
        return value


class _Bytes(io.BytesIO):
    """What was printed: no more than a limit, and still readable when the target has closed it."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self._shut = False

    @property
    def closed(self) -> bool:
        return self._shut

    # `BytesIO.close` would throw the content away.
    def close(self) -> None:
        self._shut = True

    def write(self, data: Any) -> int:
        if self._shut:
            # As a real stream says it.
            raise ValueError("I/O operation on closed file.")
        if self.tell() + len(data) > self._limit:
            raise Cut(Why.OUTPUT, f"wrote more than {in_units(self._limit)} of output")
        return super().write(data)


class Output(io.TextIOWrapper):
    """A standard stream that keeps what is written to it, as text or through its `buffer`."""

    def __init__(self, limit: int) -> None:
        self._kept = _Bytes(limit)
        super().__init__(self._kept, encoding="utf-8", errors="surrogatepass", newline="", write_through=True)

    def text(self) -> str:
        return self._kept.getvalue().decode("utf-8", "replace")

    def clear(self) -> None:
        self._kept.seek(0)
        self._kept.truncate()


@contextmanager
def captured(limit: int) -> Iterator[Output]:
    """Standard output and error, both in one place, in the order of writing, at most `limit` bytes."""
    out, err = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = output = Output(limit)
    try:
        yield output
    finally:
        sys.stdout, sys.stderr = out, err


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Cuts what runs longer: the backstop for loops without decisions. Works in the main thread only.

    Time for which the machine had no processor to give does not count.
    """
    usable = _setitimer is not None and _current_thread() is _main_thread()
    # A program that has its own handler for alarms keeps it.
    if seconds is None or not usable or _getsignal(_SIGALRM) is not _DEFAULT:
        yield
        return
    inside = True
    started = _monotonic()
    _clock.starvation.begin()

    def ring(number: int, frame: FrameType | None) -> None:
        # The alarm may come while it is being switched off.
        if inside:
            left = seconds - (_monotonic() - started - _clock.starvation.since())
            if left > _NEGLIGIBLE:
                assert _setitimer is not None
                _setitimer(signal.ITIMER_REAL, left, _AGAIN)
                return
            _clock.struck += 1
            raise Cut(Why.TIME, f"no end after {seconds:.1f} seconds")

    assert _setitimer is not None
    _signal(_SIGALRM, ring)
    # Repeated: an exception raised in `__del__`, or swallowed by a bare `except`, ends nothing.
    _setitimer(signal.ITIMER_REAL, max(seconds, 0.001), _AGAIN)
    try:
        yield
    finally:
        inside = False
        _setitimer(signal.ITIMER_REAL, 0)
        _signal(_SIGALRM, _DEFAULT)


def alarms() -> int:
    """How often a deadline has struck in this process."""
    return _clock.struck


def interruptible() -> bool:
    """Whether a KeyboardInterrupt may come from the keyboard; where SIGINT is ignored, the target raised it."""
    return _getsignal(_SIGINT) is not _IGNORED


def seed_random(seed: int) -> None:
    """The same random numbers in every run, if the target uses any."""
    # Not imported for it: a target that does not use it must not find it loaded.
    random = sys.modules.get("random")
    if random is not None:
        random.seed(seed)
