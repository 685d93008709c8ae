"""Floating-point arithmetic in long straight-line blocks."""


def advance(bodies, step):
    for index, first in enumerate(bodies):
        for second in bodies[index + 1 :]:
            dx = first[0] - second[0]
            dy = first[1] - second[1]
            dz = first[2] - second[2]
            distance = dx * dx + dy * dy + dz * dz
            force = step / (distance * distance**0.5)
            pull = second[6] * force
            push = first[6] * force
            first[3] -= dx * pull
            first[4] -= dy * pull
            first[5] -= dz * pull
            second[3] += dx * push
            second[4] += dy * push
            second[5] += dz * push
    for body in bodies:
        body[0] += step * body[3]
        body[1] += step * body[4]
        body[2] += step * body[5]


def main():
    bodies = [[float(n), n * 0.5 + 1, n * n * 0.25, 0.1 * n, 0.0, -0.1 * n, 1.0 + n] for n in range(5)]
    for _ in range(5_000):
        advance(bodies, 0.001)
