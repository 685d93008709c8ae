"""Texts with one mistake in each function."""


def first_letter(word: str) -> str:
    """The letter a word is filed under."""
    return word[0].upper()


def initials(name: str) -> str:
    """A. B. for Ada Byron.

    :assume: len(name) <= 6
    """
    return "".join(part[0] + "." for part in name.split(" ") if part != ".")


def mirrored(word: str) -> bool:
    """Whether a word reads the same backwards.

    :assume: len(word) <= 4
    """
    for i in range(len(word) // 2):  # noqa: SIM110
        if word[i] != word[len(word) - i]:
            return False
    return True


def shorten(text: str, width: int) -> str:
    """
    :assume: 0 <= width, width <= 8, len(text) <= 12
    :ensure: len(returnv) <= width
    """
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."


def quantity(text: str) -> int:
    """A number as a customer types it; anything else counts as one piece.

    :assume: len(text) <= 3
    """
    return int(text) if text.isdigit() else 1


def setting(line: str) -> str:
    """The value in `name=value`.

    :assume: len(line) <= 5
    """
    if "=" not in line:
        raise ValueError("no '=' in the line")
    _, value = line.split("=")
    return value


def label(name: str) -> bytes:
    """
    :assume: len(name) <= 3
    """
    return name.encode("latin-1")


def without_prefix(text: str, prefix: str) -> str:
    """
    :assume: len(text) <= 5, len(prefix) <= 3
    :ensure: not text.startswith(prefix) or prefix + returnv == text
    """
    return text.lstrip(prefix)


def masked(card: str) -> str:
    """All but the last four characters hidden.

    :assume: len(card) <= 8
    :ensure: len(returnv) == len(card)
    """
    return "*" * (len(card) - 4) + card[-4:] if card else "*"


def extension(name: str) -> str:
    """What stands behind the last dot, or nothing.

    :assume: len(name) <= 5
    :ensure: name.endswith(returnv), "." not in returnv, "." in name or returnv == ""
    """
    return name[name.rfind(".") + 1 :]
