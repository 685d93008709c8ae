"""Shortest paths with a hand-written heap: loops, breaks and conditional expressions."""


def push(heap, item):
    heap.append(item)
    child = len(heap) - 1
    while child:
        parent = (child - 1) // 2
        if heap[parent] <= heap[child]:
            break
        heap[parent], heap[child] = heap[child], heap[parent]
        child = parent


def pop(heap):
    top = heap[0]
    last = heap.pop()
    if heap:
        heap[0] = last
        parent = 0
        while True:
            child = 2 * parent + 1
            if child >= len(heap):
                break
            if child + 1 < len(heap) and heap[child + 1] < heap[child]:
                child += 1
            if heap[parent] <= heap[child]:
                break
            heap[parent], heap[child] = heap[child], heap[parent]
            parent = child
    return top


def shortest(edges, start):
    done = {}
    heap = [(0, start)]
    while heap:
        distance, node = pop(heap)
        if node in done:
            continue
        done[node] = distance
        for other, length in edges[node]:
            if other not in done:
                push(heap, (distance + length, other))
    return done


def main():
    size = 3_000
    edges = {
        n: [((n * 7 + k * 13) % size, 1 + (n * k) % 17 if k % 2 else 3) for k in range(1, 6)] for n in range(size)
    }
    assert len(shortest(edges, 0)) == size
