"""Refuses, inside a child process, what a target should not do by accident: writing files, starting processes,
using the network, calling C.

Python raises an audit event before most such operations; the functions that raise none are wrapped. A target
that is determined to get round this can: it is a guard against accidents, not a wall against an attacker.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ramify.runtime.recording import is_boundary, is_own
from ramify.runtime.sandbox.policy import REFUSED, Policy, Refusal
from ramify.runtime.values.core import plain

OnRefusal = Callable[[Refusal], None]

EVENTS: dict[str, dict[str, str]] = {
    "write": {
        "os.remove": "delete",
        "os.rename": "rename",
        "os.rmdir": "delete the directory",
        "os.mkdir": "make the directory",
        "os.truncate": "truncate",
        "os.chmod": "change the mode of",
        "os.chown": "change the owner of",
        "os.chflags": "change the flags of",
        "os.link": "link",
        "os.symlink": "link",
        "os.utime": "change the times of",
        "os.setxattr": "change the attributes of",
        "os.removexattr": "change the attributes of",
        "shutil.rmtree": "delete the tree",
        "shutil.move": "move",
        "shutil.copyfile": "copy",
        "shutil.copymode": "change the mode of",
        "shutil.copystat": "change the mode of",
        "shutil.copytree": "copy the tree",
        "shutil.chown": "change the owner of",
        "shutil.make_archive": "make the archive",
        "shutil.unpack_archive": "unpack the archive",
        "tempfile.mkstemp": "make the file",
        "tempfile.mkdtemp": "make the directory",
    },
    "subprocess": {
        "os.fork": "fork the process",
        "os.forkpty": "fork the process",
        "os.exec": "execute",
        "os.posix_spawn": "execute",
        "os.spawn": "execute",
        "os.startfile": "open",
        "os.startfile/2": "open",
        "os.system": "execute",
        "pty.spawn": "execute",
        "subprocess.Popen": "execute",
        "webbrowser.open": "open",
        "_winapi.CreateProcess": "execute",
    },
    "network": {
        "socket.bind": "bind a socket",
        "socket.connect": "connect a socket",
        "socket.sendto": "send from a socket",
        "socket.sendmsg": "send from a socket",
        "socket.getaddrinfo": "look up",
        "socket.gethostbyname": "look up",
        "socket.gethostbyaddr": "look up",
        "socket.getnameinfo": "look up",
        "socket.sethostname": "rename the machine",
        "urllib.Request": "request",
        "http.client.connect": "connect to",
        "ftplib.connect": "connect to",
        "imaplib.open": "connect to",
        "nntplib.connect": "connect to",
        "poplib.connect": "connect to",
        "smtplib.connect": "connect to",
        "telnetlib.Telnet.open": "connect to",
    },
    "ctypes": {
        "ctypes.dlopen": "load the C library",
        "ctypes.dlsym": "call the C function",
        "ctypes.dlsym/handle": "call the C function",
        "ctypes.call_function": "call the C function at",
        "ctypes.string_at": "read memory at",
        "ctypes.wstring_at": "read memory at",
        "ctypes.cdata": "read memory at",
    },
    "signal": {
        "os.kill": "send a signal to process",
        "os.killpg": "send a signal to process group",
        "signal.pthread_kill": "send a signal to thread",
    },
    "system": {
        "resource.setrlimit": "change the limit",
        "resource.prlimit": "change the limits of process",
        "syslog.openlog": "use the system log",
        "syslog.syslog": "use the system log",
        "winreg.CreateKey": "change the registry",
        "winreg.DeleteKey": "change the registry",
        "winreg.DeleteValue": "change the registry",
        "winreg.SetValue": "change the registry",
    },
    "gc": {
        "gc.get_objects": "list all objects",
        "gc.get_referrers": "list all objects",
        "gc.get_referents": "list all objects",
    },
}
"""Audit events by kind, each with the words for what was tried; what it was tried on follows them."""

SILENT: dict[str, tuple[tuple[str, str], ...]] = {
    "write": (("os", "mkfifo"), ("os", "mknod"), ("os", "chroot")),
    "subprocess": (("_posixsubprocess", "fork_exec"),),
    "signal": tuple(
        ("signal", name)
        for name in (
            "signal", "alarm", "setitimer", "raise_signal", "pthread_sigmask", "set_wakeup_fd", "siginterrupt",
            "pidfd_send_signal",
        )
    ),
}  # fmt: skip
"""Functions by kind for which Python raises no event."""

UNSEEN = frozenset({"_gdbm", "_dbm"})
"""Modules that write files without an event. Without them `dbm` uses a way of writing that has one."""

MAX_REPORTS = 100  # of one run: a loop that is refused a million times is told often enough
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_STDLIB = os.path.dirname(os.__file__) + os.sep
_PACKAGES = os.path.join(_STDLIB, "site-packages")


class Guard:
    """The refusals of a process. What it decides by is kept in closures, where a target's `setattr` does not
    reach it.
    """

    def __init__(self, policy: Policy, report: OnRefusal) -> None:
        self.start, self._refuse = _refuser(report)
        self._policy = policy

    def install(self) -> None:
        """From now on everything that the policy does not allow is refused. It cannot be taken back."""
        _preload()
        allow = self._policy.allow
        kinds = [kind for kind in EVENTS if kind not in allow]
        refused = {event: (kind, words) for kind in kinds for event, words in EVENTS[kind].items()}
        sys.addaudithook(_hook(refused, allow, self._refuse))
        for kind, functions in SILENT.items():
            if kind not in allow:
                for module, name in functions:
                    _wrap(module, name, kind, self._refuse)


def _preload() -> None:
    """Importing ctypes loads a library: done now, so that a target which only imports it is not refused."""
    try:
        import ctypes  # noqa: F401
    except ImportError:
        return


def _refuser(report: OnRefusal) -> tuple[Callable[[], None], Callable[[str, str], PermissionError]]:
    count = 0

    def start() -> None:
        """A new run begins."""
        nonlocal count
        count = 0

    def refuse(kind: str, action: str) -> PermissionError:
        """Reports the refusal and returns the exception to raise: a target may swallow it, the report stays."""
        nonlocal count
        if count < MAX_REPORTS:
            count += 1
            report(Refusal(kind, action[:500], *_culprit(sys._getframe(2))))
        return PermissionError(f"{action[:500]}: {REFUSED} (allow with --allow {kind})")

    return start, refuse


def _hook(
    refused: dict[str, tuple[str, str]], allow: Iterable[str], refuse: Callable[[str, str], PermissionError]
) -> Callable[[str, tuple[Any, ...]], None]:
    allowed = frozenset(allow)
    special: dict[str, Callable[[tuple[Any, ...]], tuple[str, str] | None]] = {
        "object.__setattr__": _changes_engine,
    }
    if "write" not in allowed:
        special["open"] = _opens_for_writing
        special["sqlite3.connect"] = _opens_database
        special["import"] = _imports_unseen

    watched = frozenset((*refused, *special))

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event not in watched:  # most events are none of ours: the engine itself causes one at every decision
            return
        if event in refused:
            kind, words = refused[event]
            raise refuse(kind, " ".join([words, *_first_shown(args)]))
        found = special[event](tuple(map(plain, args)))  # comparing an input would be a decision
        if found is not None:
            raise refuse(*found)

    return hook


def _opens_for_writing(args: tuple[Any, ...]) -> tuple[str, str] | None:
    place, _, flags = args
    if not isinstance(flags, int) or not flags & WRITING or isinstance(place, int):
        return None  # a descriptor is already open: those that came from outside are closed
    if place in (os.devnull, os.devnull.encode()):
        return None
    return "write", f"write {_shown(place)}"


def _opens_database(args: tuple[Any, ...]) -> tuple[str, str] | None:
    if args[0] in (":memory:", "", b":memory:", b""):
        return None
    return "write", f"open the database {_shown(args[0])}"


def _imports_unseen(args: tuple[Any, ...]) -> tuple[str, str] | None:
    if args[0] in UNSEEN:
        raise ImportError(f"{args[0]} writes files unseen: {REFUSED} (allow with --allow write)")
    return None


def _changes_engine(args: tuple[Any, ...]) -> tuple[str, str] | None:
    changed = args[0]
    if isinstance(changed, FunctionType) and is_own(changed.__code__.co_filename):
        return "system", f"change {changed.__qualname__} of ramify itself"
    return None


def _first_shown(args: tuple[Any, ...]) -> list[str]:
    """What an event is about: the first argument that has a short text; others are objects like sockets."""
    return next(([_shown(arg)] for arg in args if isinstance(arg, (str, bytes, int, list, tuple))), [])


def _shown(value: Any) -> str:
    value = plain(value)
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple)):
        return " ".join(map(_shown, value))
    return str(value) if type(value) in (str, int) else f"a {type(value).__name__}"


def _wrap(module_name: str, name: str, kind: str, refuse: Callable[[str, str], PermissionError]) -> None:
    try:
        module: ModuleType = __import__(module_name)
    except ImportError:
        return
    if not hasattr(module, name):
        return

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise refuse(kind, f"call {module_name.lstrip('_')}.{name}")

    refused.__name__ = refused.__qualname__ = name
    setattr(module, name, refused)


def _culprit(frame: FrameType | None) -> tuple[str, int]:
    """Where the target stands: its own line rather than one of the standard library it called."""
    nearest: FrameType | None = None
    while frame is not None and not is_boundary(frame.f_code):
        file = frame.f_code.co_filename
        if not is_own(file) and not file.startswith("<frozen"):
            nearest = nearest or frame
            if not file.startswith(_STDLIB) or file.startswith(_PACKAGES):
                return file, frame.f_lineno
        frame = frame.f_back
    return ("", 0) if nearest is None else (nearest.f_code.co_filename, nearest.f_lineno)
