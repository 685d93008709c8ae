"""A binary search tree."""

from __future__ import annotations


class Node:
    """A key; smaller ones are in the left tree, others in the right one."""

    def __init__(self, key: int, left: Node | None = None, right: Node | None = None) -> None:
        self.key = key
        self.left = left
        self.right = right


def keys(tree: Node | None) -> list[int]:
    """All keys from left to right."""
    return [] if tree is None else [*keys(tree.left), tree.key, *keys(tree.right)]


def ordered(tree: Node | None) -> bool:
    """Whether this is a search tree."""
    found = keys(tree)
    return all(a <= b for a, b in zip(found, found[1:], strict=False))  # noqa: RUF007 - as many write it


def insert(tree: Node | None, key: int) -> Node:
    """
    :assume: ordered(tree), len(keys(tree)) <= 2
    :ensure: ordered(returnv), len(keys(returnv)) == len(keys(tree)) + 1
    """
    if tree is None:
        return Node(key)
    if key < tree.key:
        tree.left = insert(tree.left, key)
    elif tree.right is None or key < tree.right.key:
        tree.right = Node(key, right=tree.right)
    else:
        tree.right = Node(key)
    return tree
