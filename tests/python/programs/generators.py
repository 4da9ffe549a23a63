# SPDX-License-Identifier: MIT
"""Generators, coroutines, asynchronous generators: every way in and out."""

import asyncio
import contextlib
import gc
import itertools
import types


def count(n):
    for i in range(n):
        yield i


def guarded(n):
    try:
        yield from count(n)
    finally:
        len("the end")


def catching():
    while True:
        try:
            yield "more"
        except ValueError:
            yield "caught"


def run_generator_to_its_end():
    list(count(5))
    sum(count(3))
    for _ in count(2):
        pass
    return {"count": 13}


def run_generator_closed():
    for make in count, guarded:
        generator = make(3)
        next(generator)
        generator.close()
        generator.close()


def run_generator_dropped():
    for make in count, guarded:
        generator = make(3)
        next(generator)
        del generator
    next(guarded(1))


def run_generator_dropped_in_a_cycle():
    generator = guarded(2)
    cycle = [generator]
    cycle.append(cycle)
    next(generator)
    del generator, cycle
    gc.collect()


def run_generator_thrown_into():
    generator = catching()
    next(generator)
    generator.throw(ValueError())
    next(generator)
    try:
        generator.throw(KeyError("out"))
    except KeyError:
        pass
    through = guarded(3)
    next(through)
    try:
        through.throw(OSError())
    except OSError:
        pass


def run_generator_never_started():
    count(3)
    count(3).close()
    try:
        count(3).throw(ValueError())
    except ValueError:
        pass
    unused = guarded(2)
    del unused


def echo():
    got = None
    while got != "stop":
        got = yield got
    return "stopped"


def run_generator_sent_to():
    generator = echo()
    generator.send(None)
    generator.send("a")
    next(generator)
    try:
        generator.send("stop")
    except StopIteration as stop:
        assert stop.value == "stopped"
    try:
        next(generator)
    except StopIteration:
        pass
    return {"echo": 4}


def walk(tree):
    for node in tree:
        if isinstance(node, list):
            yield from walk(node)
        else:
            yield node


def run_yield_from():
    list(walk([1, [2, [3, [4]], 5], []]))

    def outer():
        result = yield from echo()
        yield result
        yield from [1, 2]
        yield from map(len, ["a"])

    generator = outer()
    next(generator)
    generator.send("stop")
    list(generator)


def run_generator_expressions():
    sum(n * n for n in range(4))
    any(n > 1 for n in range(9))
    dict((n, len(str(n))) for n in range(3))
    list(a + b for a in range(2) for b in (c for c in range(2)))
    max((n for n in [1, 2]), key=lambda n: -n)


def run_generator_raises():
    def bad():
        yield 1
        raise LookupError

    for consume in list, sum, lambda g: [x for x in g]:
        try:
            consume(bad())
        except LookupError:
            pass

    def stops():
        yield 1
        next(iter([]))

    try:
        list(stops())
    except RuntimeError:
        pass


def run_generator_in_generator_frames():
    def sieve(numbers):
        while True:
            prime = next(numbers)
            yield prime
            numbers = filter(lambda n, p=prime: n % p, numbers)

    list(itertools.islice(sieve(itertools.count(2)), 8))


@contextlib.contextmanager
def manager(log):
    log.append("in")
    try:
        yield log
    finally:
        log.append("out")


def run_context_manager_by_generator():
    log = []
    with manager(log):
        pass
    try:
        with manager(log), manager(log):
            raise ValueError
    except ValueError:
        pass
    with contextlib.ExitStack() as stack:
        stack.enter_context(manager(log))
        stack.callback(len, log)
    with contextlib.suppress(KeyError):
        {}["a"]


async def add(a, b):
    return a + b


async def total(n):
    result = 0
    for i in range(n):
        result = await add(result, i)
    return result


@types.coroutine
def suspend(value):
    return (yield value)


async def suspending():
    return [await suspend("a"), await suspend("b")]


def run_coroutine_by_hand():
    coroutine = total(3)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        assert stop.value == 3
    coroutine = suspending()
    coroutine.send(None)
    coroutine.send(1)
    try:
        coroutine.send(2)
    except StopIteration:
        pass
    half = suspending()
    half.send(None)
    half.close()
    thrown = suspending()
    thrown.send(None)
    try:
        thrown.throw(ValueError())
    except ValueError:
        pass


async def ticks(n):
    try:
        for i in range(n):
            await suspend(i)
            yield i
    finally:
        len("ticked")


class Ready:
    def __await__(self):
        yield "ready"
        return 1


def finish(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def run_asynchronous_generator():
    async def consume():
        result = [i async for i in ticks(3)]
        generator = ticks(3)
        await generator.__anext__()
        await generator.aclose()
        other = ticks(2)
        await other.asend(None)
        try:
            await other.athrow(KeyError())
        except KeyError:
            pass
        return result, await Ready()

    assert finish(consume()) == ([0, 1, 2], 1)


def run_asynchronous_context():
    class Manager:
        async def __aenter__(self):
            return await add(1, 2)

        async def __aexit__(self, *failure):
            await suspend(None)
            return True

    async def use():
        async with Manager() as value:
            raise ValueError(value)

    finish(use())


async def napping(n):
    for _ in range(n):
        await asyncio.sleep(0)
    return n


async def main():
    task = asyncio.ensure_future(napping(2))
    results = await asyncio.gather(napping(1), napping(3), total(2))
    results.append(await task)
    slow = asyncio.ensure_future(asyncio.sleep(10))
    await asyncio.sleep(0)
    slow.cancel()
    try:
        await slow
    except asyncio.CancelledError:
        results.append("cancelled")
    return results


def run_event_loop():
    # asyncio.run() also needs threads and signals: this is its core.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()
