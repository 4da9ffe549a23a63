# SPDX-License-Identifier: MIT
"""Random programs: functions that call each other, raise, and step, throw into,
close or drop each other's generators, in an order given by a seed.

CHANCE_SEEDS is the number of programs, CHANCE_FIRST the first seed.
"""

import contextlib
import functools
import os
import random
import sys
import types
import weakref

LIMIT = 500
# Depth since a generator was made, and in all. A RecursionError comes earlier
# under a profile function that is written in Python.
DEPTH = 24
NESTING = 60
CHANCE = random.Random()
# One code object: cProfile counts each separately.
TEXT = compile("pick(depth)", "<string>", "eval")


class State:
    """The calls left to make, and the generators that any call may resume."""

    fuel = 0
    nesting = 0
    pool = []


def pick(depth):
    if State.fuel <= 0 or depth >= DEPTH or State.nesting >= NESTING:
        return None
    State.fuel -= 1
    State.nesting += 1
    try:
        return CHANCE.choice(ACTS)(depth + 1)
    finally:
        State.nesting -= 1


def several(depth):
    for _ in range(CHANCE.randrange(3)):
        pick(depth)


def again(depth):
    return again(depth + 1) if depth < CHANCE.randrange(DEPTH) else pick(depth)


def by_map(depth):
    return list(map(pick, [depth] * CHANCE.randrange(3)))


def by_sorted(depth):
    return sorted(range(3), key=lambda n: len(str(pick(depth))))


def by_partial(depth):
    return functools.partial(pick, depth)()


def by_text(depth):
    return eval(TEXT, {"pick": pick, "depth": depth})


def by_iteration(depth):
    left = iter([1, 2])
    return list(iter(lambda: pick(depth) and None or next(left, None), None))


def fail(depth):
    raise CHANCE.choice((ValueError, KeyError, StopIteration))(depth)


def native_failure(depth):
    return int("x" * depth)


def guard(depth):
    try:
        several(depth)
    except (ValueError, KeyError, RuntimeError):
        pick(depth)
    finally:
        several(depth)


def swallow(depth):
    with contextlib.suppress(Exception):
        several(depth)
        pick(depth)


@contextlib.contextmanager
def manager(depth):
    pick(depth)
    try:
        yield pick(depth)
    finally:
        pick(depth)


def use_manager(depth):
    with manager(depth):
        several(depth)


class Dying:
    def __init__(self, depth):
        self.depth = depth

    def __del__(self):
        several(self.depth)

    @property
    def value(self):
        return pick(self.depth)

    def __iter__(self):
        yield self.value
        yield pick(self.depth)

    def __lt__(self, other):
        return bool(pick(self.depth))


def die(depth):
    Dying(depth)


def die_late(depth):
    dying = Dying(depth)
    reference = weakref.ref(dying, lambda _: pick(depth))
    several(depth)
    del dying
    return reference()


def consume(depth):
    return [each for each in Dying(depth)] + sorted([Dying(depth)] * 2)


def steps(depth):
    try:
        for n in range(CHANCE.randrange(1, 4)):
            got = yield n
            if got:
                pick(depth)
        if CHANCE.random() < 0.4:
            yield from steps(depth + 1)
        several(depth)
    except KeyError:
        yield pick(depth)
    finally:
        pick(depth)


@types.coroutine
def suspend(depth):
    yield pick(depth)


async def wait(depth):
    await suspend(depth)
    several(depth)
    if CHANCE.random() < 0.5:
        await wait(depth + 1)


async def ticks(depth):
    for n in range(2):
        yield n
        await suspend(depth)


async def consume_ticks(depth):
    async for _ in ticks(depth):
        several(depth)


def make(depth):
    kind = CHANCE.choice((steps, steps, wait, consume_ticks))
    State.pool.append(kind(depth))


def taken(depth):
    if not State.pool:
        make(depth)
    return CHANCE.choice(State.pool)


def send(depth):
    return taken(depth).send(None)


def send_more(depth):
    generator = taken(depth)
    generator.send(None)
    return generator.send(depth)


def resting(depth):
    """CPython 3.12 may crash on a throw into a running generator."""
    generator = taken(depth)
    if getattr(generator, "gi_running", False) or getattr(
            generator, "cr_running", False):
        raise ValueError(depth)
    return generator


def throw(depth):
    kind = CHANCE.choice((ValueError, KeyError, GeneratorExit))
    return resting(depth).throw(kind())


def close(depth):
    resting(depth).close()


def drop(depth):
    if State.pool:
        State.pool.pop(CHANCE.randrange(len(State.pool)))


def loop(depth):
    return sum(each or 0 for each in steps(depth) if isinstance(each, int))


ACTS = (several, several, several, several, again, by_map, by_sorted,
        by_partial, by_text, by_iteration, fail, native_failure, guard, guard,
        guard, swallow, swallow, use_manager, die, die_late, consume, make,
        make, send, send, send_more, throw, close, drop, loop)


def ignore(unraisable):
    """Ignores errors in destructors, and coroutines never awaited."""


def by_chance(seed):
    CHANCE.seed(seed)
    hook, sys.unraisablehook = sys.unraisablehook, ignore
    filters = sys.modules["warnings"].filters[:]
    sys.modules["warnings"].simplefilter("ignore")
    State.fuel = LIMIT
    try:
        while State.fuel > 0:
            try:
                pick(0)
            except (Exception, GeneratorExit):
                State.fuel -= 1
        while State.pool:
            State.pool.pop()
    finally:
        sys.modules["warnings"].filters[:] = filters
        sys.unraisablehook = hook


FIRST = int(os.environ.get("CHANCE_FIRST", 0))
for number in range(FIRST, FIRST + int(os.environ.get("CHANCE_SEEDS", 5))):
    globals()[f"run_seed_{number}"] = functools.partial(by_chance, number)
