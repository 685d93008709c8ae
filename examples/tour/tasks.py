"""A queue of tasks in a ring of fixed size."""


class Queue:
    """First in, first out, without moving anything: `head` walks around the ring."""

    def __init__(self, capacity: int) -> None:
        if not 1 <= capacity <= 4:
            raise ValueError("room for one to four tasks")
        self.ring = [0] * capacity
        self.head = 0
        self.size = 0

    def put(self, task: int) -> None:
        if self.size == len(self.ring):
            raise OverflowError("the queue is full")
        self.ring[(self.head + self.size) % len(self.ring)] = task
        self.size += 1

    def get(self) -> int:
        if self.size == 0:
            raise LookupError("the queue is empty")
        task = self.ring[self.head]
        self.head += 1
        self.size -= 1
        return task


def first_out(capacity: int, first: int, second: int) -> int:
    """Puts a task in and takes it out again, as often as the ring has places, and once more.

    :assume: 1 <= capacity, capacity <= 4
    :ensure: returnv == second
    """
    queue = Queue(capacity)
    for _ in range(capacity):
        queue.put(first)
        queue.get()
    queue.put(second)
    return queue.get()
