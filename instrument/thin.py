"""Removing spent probes: code that has left its marks gets cheaper until it runs like the original.

A probe that was hit has nothing more to say. When a function is entered again, its spent probes are
overwritten with a jump past them, in a copy of its code object that the function then uses; frames that
are running keep the code they have. Bytes are overwritten in place, so that offsets, line table and
exception table stay valid. What this module does not recognise in the bytecode it leaves alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from opcode import opmap
from types import CodeType

from ramify.instrument.names import Names

_NOP = opmap["NOP"]
_EXTENDED_ARG = opmap["EXTENDED_ARG"]
_LOAD_CONST = opmap["LOAD_CONST"]
_LOAD_GLOBAL = opmap["LOAD_GLOBAL"]
_STORE_SUBSCR = opmap["STORE_SUBSCR"]
_CALL = opmap["CALL"]
# Of 3.11 only.
_PRECALL = opmap.get("PRECALL")
_POP_TOP = opmap["POP_TOP"]
_JUMP_FORWARD = opmap["JUMP_FORWARD"]
_CACHE = opmap["CACHE"]

_Instruction = tuple[int, int, int, int]
"""Offset of the first unit, with its EXTENDED_ARGs; offset behind the last, with its caches; opcode; argument."""


def without(code: CodeType, names: Names, spent: Callable[[int], bool], entry: int | None) -> CodeType:
    """A copy of `code`, nested code included, without its spent probes; `entry` is an entry probe to remove."""
    # `co_code` is the code as compiled, without the specialised instructions that have replaced some of it.
    raw = bytearray(code.co_code)
    consts = [
        without(const, names, spent, None) if isinstance(const, CodeType) else const for const in code.co_consts
    ]
    none = -1
    for start, end, kind, probe in _probes(code, names):
        if kind == names.enter:
            if probe == entry:
                _overwrite(raw, start, end, b"")
        elif spent(probe):
            if kind == names.add:
                if none < 0:
                    none = len(consts)
                    consts.append(None)
                # Inside an expression the value of the call, None, is still wanted.
                _overwrite(raw, start, end, _load_const(none))
            else:
                _overwrite(raw, start, end, b"")
    return code.replace(co_code=bytes(raw), co_consts=tuple(consts))


def find(module: CodeType, qualname: str, line: int) -> CodeType | None:
    """The code of the one function in a module with this name and first line; None if there are more."""
    found = [code for code in _all_code(module) if (code.co_qualname, code.co_firstlineno) == (qualname, line)]
    # Two functions of one name on one line cannot be told apart.
    return found[0] if len(found) == 1 else None


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _all_code(const)


def _probes(code: CodeType, names: Names) -> Iterator[tuple[int, int, str, int]]:
    """The probes in a code object: first offset, offset behind, the name they use, their number."""
    instructions = list(_instructions(code.co_code))
    for index, (start, _, opcode, argument) in enumerate(instructions):
        if opcode != _LOAD_GLOBAL:
            continue
        # The lowest bit of LOAD_GLOBAL says whether a NULL is pushed for a call.
        name = code.co_names[argument >> 1]
        if name == names.hits:
            # LOAD_CONST 1; LOAD_GLOBAL hits; LOAD_CONST probe; STORE_SUBSCR
            first, number, last = instructions[index - 1], instructions[index + 1], instructions[index + 2]
            if first[2] == number[2] == _LOAD_CONST and last[2] == _STORE_SUBSCR:
                yield first[0], last[1], name, code.co_consts[number[3]]
        elif name in (names.add, names.enter) and argument & 1:
            # LOAD_GLOBAL NULL + add; LOAD_CONST probe; CALL 1, and POP_TOP where it is a statement
            number, last = instructions[index + 1], instructions[index + 2]
            if last[2] == _PRECALL:
                last = instructions[index + 3]
            if number[2] != _LOAD_CONST or last[2:] != (_CALL, 1):
                continue
            end = last[1]
            if name == names.enter:
                pop = instructions[instructions.index(last) + 1]
                if pop[2] != _POP_TOP:
                    continue
                end = pop[1]
            yield start, end, name, code.co_consts[number[3]]


def _instructions(raw: bytes) -> Iterator[_Instruction]:
    offset, size = 0, len(raw)
    while offset < size:
        start, argument = offset, raw[offset + 1]
        while raw[offset] == _EXTENDED_ARG:
            offset += 2
            argument = argument << 8 | raw[offset + 1]
        opcode = raw[offset]
        offset += 2
        while offset < size and raw[offset] == _CACHE:
            offset += 2
        yield start, offset, opcode, argument


def _overwrite(raw: bytearray, start: int, end: int, new: bytes) -> None:
    jump = start + len(new)
    units = (end - jump) // 2
    raw[start:jump] = new
    raw[jump:end] = bytes((_NOP, 0)) * units
    # One jump over the rest. A probe is a few instructions with caches, so its length fits one byte.
    raw[jump : jump + 2] = bytes((_JUMP_FORWARD, units - 1))


def _load_const(index: int) -> bytes:
    extended = b"".join(
        bytes((_EXTENDED_ARG, index >> shift & 255)) for shift in (24, 16, 8) if index >> shift
    )
    return extended + bytes((_LOAD_CONST, index & 255))
