# SPDX-License-Identifier: MIT
"""The cost of a push and its pop, in ns, at several depths: ours beside a state
written in Python (naive_state.py), whose push searches the stack."""

import timeit

import naive_state
from ctprof.dynamo import DynamoProfilerState

DEPTHS = (0, 20, 200)
PAIRS = 4000
ROUNDS = 50


def pair_ns(state, depth):
    """The least time of a pair on `depth` open calls of several functions."""
    for i in range(depth):
        state.push(f"function{i % 50}", "file.py", i % 50, i)
    # The file name as a code object would give it: always the same object.
    timer = timeit.Timer(
        "push('function', file, 1, 1700000000000000000); pop()",
        globals={"push": state.push, "pop": state.pop, "file": "other.py"})
    return min(timer.repeat(ROUNDS, PAIRS)) / PAIRS * 1e9


def main():
    print(f"{'depth':>5} {'ctprof ns':>10} {'naive ns':>10}")
    for depth in DEPTHS:
        print(f"{depth:>5} {pair_ns(DynamoProfilerState(), depth):>10.0f} "
              f"{pair_ns(naive_state.NaiveState(), depth):>10.0f}")


if __name__ == "__main__":
    main()
