"""Finding the source a user means, without running any of it."""

from __future__ import annotations

import errno
import os
import sys
import zipfile
from pathlib import Path

import pytest

from ramify.errors import InputError
from ramify.targets import matching_names, parse, read_source, resolve


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_file_and_function(folder: Path) -> None:
    write(folder / "shop.py")
    assert (resolve("shop.py").path, resolve("shop.py").qualname) == ("shop.py", None)
    assert resolve("shop.py:Cart.total").qualname == "Cart.total"
    assert resolve(f"{folder / 'shop.py'}:f").source == "x = 1\n"


def test_file_without_suffix(folder: Path) -> None:
    write(folder / "script")
    assert resolve("script:main").path == "script"


def test_modules_are_found_in_the_current_directory_first(folder: Path) -> None:
    write(folder / "json" / "decoder.py")
    write(folder / "json" / "__init__.py")
    assert Path(resolve("json.decoder").path) == folder / "json" / "decoder.py"
    assert Path(resolve("json").path) == folder / "json" / "__init__.py"


def test_nothing_is_run(folder: Path) -> None:
    write(folder / "pkg" / "__init__.py", "raise SystemExit('ran')\n")
    write(folder / "pkg" / "mod.py", "raise SystemExit('ran')\n")
    assert resolve("pkg.mod:f").qualname == "f"
    assert "pkg" not in sys.modules


def test_namespace_packages(folder: Path) -> None:
    write(folder / "space" / "inner" / "mod.py")
    assert Path(resolve("space.inner.mod").path) == folder / "space" / "inner" / "mod.py"


def test_module_of_the_standard_library(folder: Path) -> None:
    target = resolve("json.decoder:JSONDecoder.decode")
    assert target.path.endswith(os.path.join("json", "decoder.py"))


def test_module_in_a_zip_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(folder / "bundle.zip", "w") as bundle:
        bundle.writestr("zipped.py", "y = 2\n")
    monkeypatch.syspath_prepend(str(folder / "bundle.zip"))
    assert resolve("zipped").source == "y = 2\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gone.py", "gone.py: no such file"),
        ("gone/mod.py:f", "gone/mod.py: no such file"),
        ("nowhere", "no module named 'nowhere'"),
        ("json.nowhere", "no module named 'json.nowhere'"),
        ("bisect.inner", "no module named 'bisect.inner': bisect is not a package"),
        ("sys", "sys has no Python source"),
        ("_json", "_json has no Python source"),
        ("space", "space is a namespace package: it has no source of its own"),
        ("folder.py", "folder.py: is a directory"),
        ("./space", "./space: is a directory"),
        ("shop.py:", "'shop.py:' is no target"),
        (":f", "':f' is no target"),
        ("", "the target is empty"),
        ("a b", "a b: no such file"),
        ("nul\0l.py", "null"),
    ],
)
def test_errors_are_one_line(folder: Path, text: str, message: str) -> None:
    write(folder / "shop.py")
    (folder / "space" / "empty").mkdir(parents=True)
    (folder / "folder.py").mkdir()
    with pytest.raises(InputError, match=message) as caught:
        resolve(text)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# é\n".encode(), "# é\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# coding: latin-1\nx = 'é'\n".encode("latin-1"), "# coding: latin-1\nx = 'é'\n"),
        (b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "mod.py"
    path.write_bytes(content)
    assert read_source(str(path)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = '\xe9'\n", "invalid or missing encoding declaration|is not utf-8: byte"),
        (b"# coding: klingon\n", "unknown encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem"),
    ],
)
def test_bad_encodings(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "mod.py"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_source(str(path))
    assert str(path) in str(caught.value)


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "mod.py")

    def refuse(name: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", name)

    # Taking the permission away would not keep root from reading.
    monkeypatch.setattr("tokenize.open", refuse)
    with pytest.raises(InputError, match=r"mod\.py: cannot be read: Permission denied$"):
        read_source(str(path))


def test_syntax_error_has_line_and_column() -> None:
    with pytest.raises(InputError, match=r"^mod\.py:2:5: does not parse: "):
        parse("x = 1\nif x\n", "mod.py")


def test_null_bytes_and_depth_do_not_parse() -> None:
    with pytest.raises(InputError, match="does not parse"):
        parse("x = '\0'", "mod.py")
    with pytest.raises(InputError, match="does not parse"):
        parse("(" * 5000 + ")" * 5000, "mod.py")


def test_names() -> None:
    known = ["<module>", "f", "f.<locals>.inner", "C", "C.total", "f.<locals>.<lambda>"]
    assert matching_names("C.total", known) == ["C.total"]
    assert matching_names("f.inner", known) == ["f.<locals>.inner"]
    with pytest.raises(InputError, match=r"did you mean C\.total"):
        matching_names("total", known)
    with pytest.raises(InputError, match=r"no function or class 'zzz' there$"):
        matching_names("zzz", known)
