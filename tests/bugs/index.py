"""What is wrong in the corpus: for each target, what kind of finding its bug is, and what slip it was."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Bug(NamedTuple):
    """One seeded bug; `kind` is what a check must report, `slip` what the programmer did."""

    file: str
    function: str
    kind: str
    slip: str

    @property
    def target(self) -> str:
        return f"{HERE / self.file}.py:{self.function}"

    @property
    def twin(self) -> str:
        return f"{HERE / 'fixed' / self.file}.py:{self.function}"


BUGS = [
    Bug("arithmetic", "clamp", "postcondition", "wrong operator"),
    Bug("arithmetic", "leap_year", "postcondition", "missing case"),
    Bug("arithmetic", "smallest", "postcondition", "wrong variable"),
    Bug("arithmetic", "median", "postcondition", "wrong variable"),
    Bug("arithmetic", "square_root", "postcondition", "off by one"),
    Bug("arithmetic", "percent", "exception", "wrong variable"),
    Bug("arithmetic", "saturating_add", "postcondition", "overflow of a bound"),
    Bug("arithmetic", "ceil_div", "postcondition", "off by one"),
    Bug("arithmetic", "days_in_month", "exception", "off by one"),
    Bug("arithmetic", "sign", "postcondition", "wrong operator"),
    Bug("arithmetic", "next_slot", "postcondition", "off by one"),
    Bug("arithmetic", "fare", "postcondition", "wrong operator"),
    Bug("arithmetic", "total_price", "assertion", "off by one"),
    Bug("texts", "first_letter", "exception", "empty input"),
    Bug("texts", "initials", "exception", "empty input"),
    Bug("texts", "mirrored", "exception", "off by one"),
    Bug("texts", "shorten", "postcondition", "overflow of a bound"),
    Bug("texts", "quantity", "exception", "unicode"),
    Bug("texts", "setting", "exception", "missing case"),
    Bug("texts", "label", "exception", "unicode"),
    Bug("texts", "without_prefix", "postcondition", "wrong method"),
    Bug("texts", "masked", "postcondition", "empty input"),
    Bug("texts", "extension", "postcondition", "missing case"),
    Bug("containers", "average", "exception", "empty input"),
    Bug("containers", "largest", "postcondition", "wrong default"),
    Bug("containers", "find", "postcondition", "off by one"),
    Bug("containers", "price_of", "exception", "missing key"),
    Bug("containers", "second_basket", "postcondition", "mutable default"),
    Bug("containers", "drop_zeros", "postcondition", "wrong final state"),
    Bug("containers", "swap", "postcondition", "wrong final state"),
    Bug("containers", "rotate", "exception", "empty input"),
    Bug("containers", "merged", "postcondition", "aliasing"),
    Bug("containers", "board", "postcondition", "aliasing"),
    Bug("containers", "running_totals", "postcondition", "aliasing"),
    Bug("containers", "chunks", "postcondition", "off by one"),
    Bug("containers", "top_score", "exception", "empty input"),
    Bug("containers", "greeting", "exception", "missing None check"),
    Bug("containers", "column_width", "exception", "missing None check"),
    Bug("floats", "adds_up", "postcondition", "float rounding"),
    Bug("floats", "middle", "postcondition", "overflow of a bound"),
    Bug("floats", "half_up", "postcondition", "float rounding"),
    Bug("floats", "seats", "exception", "nan"),
    Bug("floats", "speed", "exception", "wrong operator"),
    Bug("failing", "withdraw", "raises", "wrong exception"),
    Bug("failing", "share", "raises", "off by one"),
    Bug("failing", "ratio", "exception", "wrong exception"),
    Bug("failing", "port", "postcondition", "missing case"),
    Bug("failing", "level", "raises", "wrong operator"),
    Bug("failing", "factorial", "exception", "recursion"),
    Bug("failing", "steps", "exception", "recursion"),
    Bug("failing", "quarter", "precondition", "contract of a callee"),
    Bug("failing", "promote", "precondition", "contract of a callee"),
    Bug("failing", "distance", "postcondition", "contract of a callee"),
    Bug("objects", "Account.pay", "invariant", "off by one"),
    Bug("objects", "Interval.length", "invariant", "missing case"),
    Bug("objects", "Buffer.push", "invariant", "overflow of a bound"),
    Bug("objects", "Counter.tick", "postcondition", "off by one"),
    Bug("objects", "after", "exception", "missing key"),
    Bug("objects", "Cart.change", "postcondition", "off by one"),
    Bug("objects", "last", "exception", "missing None check"),
    Bug("objects", "Thermostat.warmer", "invariant", "wrong operator"),
    Bug("objects", "Library.lend", "postcondition", "wrong operator"),
]
