# SPDX-License-Identifier: MIT
"""Exceptions through every kind of frame, and code that runs meanwhile."""

import contextlib
import functools
import signal
import sys
import traceback
import warnings


def fail(value=None):
    raise ValueError(value)


def run_exception_through_c():
    for call in (lambda: list(map(fail, [1])),
                 lambda: sorted([2, 1], key=fail),
                 lambda: max([1], key=fail),
                 lambda: functools.reduce(fail, [1, 2, 3])):
        try:
            call()
        except (ValueError, TypeError):
            pass
    return {"fail": 3}


def run_exception_of_c():
    for call in (lambda: int("x"), lambda: [].pop(), lambda: {}.popitem(),
                 lambda: "".index("a"), lambda: len(1),
                 lambda: getattr(1, "none"), lambda: next(iter([])),
                 lambda: "a".join([1])):
        try:
            call()
        except Exception:
            pass


def deep(n):
    if n == 0:
        fail()
    return deep(n - 1)


def run_exception_from_the_deep():
    for n in 3, 40, 100:
        try:
            deep(n)
        except ValueError:
            pass
    return {"deep": 146, "fail": 3}


def clean(log):
    log.append(len(log))


def run_finally():
    log = []

    def nested(n):
        try:
            if n == 0:
                fail()
            nested(n - 1)
        finally:
            clean(log)

    def swallowing():
        try:
            fail()
        except ValueError:
            clean(log)
            raise KeyError from None
        finally:
            clean(log)

    def returning():
        try:
            fail()
        except ValueError:
            return clean(log)

    for call in functools.partial(nested, 3), swallowing, returning:
        try:
            call()
        except (ValueError, KeyError):
            pass
    return {"nested": 4, "clean": 7, "fail": 3}


class Dying:
    def __del__(self):
        clean([])
        fail("in a destructor")


def run_exception_in_destructor():
    seen = []
    hook = sys.unraisablehook
    sys.unraisablehook = lambda unraisable: seen.append(
        type(unraisable.exc_value))
    try:
        Dying()
        dying = Dying()
        del dying
        [Dying() for _ in range(3)]
    finally:
        sys.unraisablehook = hook
    assert seen == [ValueError] * 5
    return {"__del__": 5, "fail": 5, "clean": 5}


def run_destructor_while_unwinding():
    class Held:
        def __del__(self):
            clean([])

    def holding(n):
        held = Held()
        if n == 0:
            fail(held)
        holding(n - 1)

    try:
        holding(4)
    except ValueError:
        pass
    return {"__del__": 5}


def run_exception_chain():
    def translate():
        try:
            fail()
        except ValueError as error:
            raise RuntimeError("translated") from error

    try:
        translate()
    except RuntimeError as error:
        traceback.format_exception_only(RuntimeError, error)


def run_exception_group():
    def group():
        raise ExceptionGroup("two", [ValueError(1), KeyError(2)])

    try:
        group()
    except* ValueError:
        clean([])
    except* KeyError:
        clean([])
    return {"clean": 2}


def run_system_exit_caught():
    try:
        sys.exit(3)
    except SystemExit as stop:
        assert stop.code == 3
    with contextlib.suppress(SystemExit):
        exit_by_hand = functools.partial(sys.exit, "text")
        exit_by_hand()


def run_assertion():
    try:
        assert len("abc") == 2, clean([])
    except AssertionError:
        pass


def run_exception_in_comparison():
    class Sour:
        def __lt__(self, other):
            return fail(other)

        def __eq__(self, other):
            return fail(other)

        def __bool__(self):
            return fail()

    for call in (lambda: sorted([Sour(), Sour()]), lambda: Sour() == 1,
                 lambda: [Sour()].index(1), lambda: not Sour(),
                 lambda: max(Sour(), Sour())):
        try:
            call()
        except (ValueError, TypeError):
            pass


def run_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("no", UserWarning, stacklevel=1)
        except UserWarning:
            pass


def interrupted(number, frame):
    clean([])
    raise InterruptedError(number)


def run_signal_handler():
    before = signal.signal(signal.SIGUSR1, interrupted)
    try:
        for _ in range(2):
            try:
                signal.raise_signal(signal.SIGUSR1)
            except InterruptedError:
                pass
    finally:
        signal.signal(signal.SIGUSR1, before)
    return {"interrupted": 2}


def run_except_in_loop():
    def odd_fails(n):
        return fail(n) if n % 2 else n

    def safe(n):
        try:
            return odd_fails(n)
        except ValueError:
            return -1

    assert sum(safe(n) for n in range(10)) == 15
    return {"safe": 10, "odd_fails": 10, "fail": 5}
