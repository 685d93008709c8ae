"""A door with a lock, as a state machine."""

from enum import Enum


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"
    LOCKED = "locked"


class Event(Enum):
    OPEN = "open"
    CLOSE = "close"
    LOCK = "lock"
    UNLOCK = "unlock"


NEXT = {
    (State.CLOSED, Event.OPEN): State.OPEN,
    (State.OPEN, Event.CLOSE): State.CLOSED,
    (State.CLOSED, Event.LOCK): State.LOCKED,
    (State.LOCKED, Event.UNLOCK): State.CLOSED,
    (State.OPEN, Event.LOCK): State.LOCKED,
}


def after(state: State, event: Event) -> State:
    """What the door does when something happens to it; what makes no sense changes nothing.

    :ensure: returnv is not State.LOCKED or state is not State.OPEN
    """
    if event is Event.UNLOCK and state is not State.LOCKED:
        return state
    if event is Event.OPEN and state is State.LOCKED:
        return state
    return NEXT[state, event]
