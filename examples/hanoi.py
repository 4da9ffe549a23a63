# SPDX-License-Identifier: MIT
"""Moves a tower of 16 discs: the second example of the README."""


def move(count, source, target):
    if count:
        move(count - 1, source, 3 - source - target)
        pegs[target].append(pegs[source].pop())
        move(count - 1, 3 - source - target, target)


pegs = [list(range(16, 0, -1)), [], []]
move(16, 0, 2)
