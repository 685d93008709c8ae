"""Lookups with a concolic key or index in containers that are plain: `k in table`, `table[k]`, `values[i]`.

C code would use the key's hash or the index's value and lose the term. Here whether there is a hit is one
decision over all keys; what is found has a term where all candidates are scalars of one sort, else the
candidates are asked one by one.
"""

from ramify.runtime.values.equality import MISSING
from ramify.runtime.values.lookups.concolic_keys import has_concolic_keys, keys_read, remember_keys
from ramify.runtime.values.lookups.elements import MAX_ASKED, content_term, lifted_text, select_item, settled_bound
from ramify.runtime.values.lookups.mappings import (
    MAX_CHAIN,
    delete_item,
    find_key,
    get_item,
    insert_item,
    mapping_item,
    set_item,
)
from ramify.runtime.values.lookups.membership import contains

__all__ = [
    "MAX_ASKED", "MAX_CHAIN", "MISSING", "contains", "content_term", "delete_item", "find_key", "get_item",
    "has_concolic_keys", "insert_item", "keys_read", "lifted_text", "mapping_item", "remember_keys",
    "select_item", "set_item", "settled_bound",
]  # fmt: skip
