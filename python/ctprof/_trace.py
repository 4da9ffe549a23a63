# SPDX-License-Identifier: MIT
"""Ranges around functions, and ranges that futures end.

The range of a function that can be suspended (a coroutine or generator) is
outside the nesting of its thread: other code runs between its beginning and its
end.
"""
import functools
import types

from . import _ctprof

# From inspect, a large import for three numbers.
_GENERATOR = 0x20
_COROUTINE = 0x80
_ASYNC_GENERATOR = 0x200


class _Span:
    """A range outside the nesting, as a block."""

    __slots__ = ("_name", "_args", "_number")

    def __init__(self, name, args=None):
        self._name = name
        self._args = (name,) if args is None else (name, args)
        self._number = 0  # 0: not open

    def __enter__(self):
        self._number = _ctprof.async_begin(*self._args)
        return self

    def __exit__(self, *error):
        number, self._number = self._number, 0
        _ctprof.async_end(self._name, number)


def _of_coroutine(timed, function):
    async def wrapper(*args, **kwargs):
        with _Span(timed.name, timed._args):
            return await function(*args, **kwargs)
    return wrapper


def _of_generator(timed, function):
    def wrapper(*args, **kwargs):
        with _Span(timed.name, timed._args):
            return (yield from function(*args, **kwargs))
    return wrapper


def _of_async_generator(timed, function):
    # Does the work of `yield from`, which asynchronous generators lack.
    async def wrapper(*args, **kwargs):
        inner = function(*args, **kwargs)
        with _Span(timed.name, timed._args):
            try:
                value = await anext(inner)
                while True:
                    try:
                        sent = yield value
                    except GeneratorExit:
                        await inner.aclose()
                        raise
                    except BaseException as error:
                        value = await inner.athrow(error)
                    else:
                        value = await inner.asend(sent)
            except StopAsyncIteration:
                return
    return wrapper


def _of_function(timed, function):
    def wrapper(*args, **kwargs):
        with timed:
            return function(*args, **kwargs)
    return wrapper


def _of_same_name(timed, function):
    # The tracer knows this wrapper: the range stands for the call in it.
    def wrapper(*args, **kwargs):
        with timed:
            return function(*args, **kwargs)
    return wrapper


def _outside_the_nesting(timed, function):
    def wrapper(*args, **kwargs):
        with _Span(timed.name, timed._args):
            return function(*args, **kwargs)
    return wrapper


def decorate(timed, function, of=_of_function):
    """The function, with a range `timed` around each call."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _COROUTINE:
        wrapper = _of_coroutine(timed, function)
    elif flags & _GENERATOR:
        wrapper = _of_generator(timed, function)
    elif flags & _ASYNC_GENERATOR:
        wrapper = _of_async_generator(timed, function)
    else:
        wrapper = of(timed, function)
    return functools.wraps(function)(wrapper)


def trace(function=None, /, *, name=None):
    """Records each call of the decorated function as a range.

    Used bare or with a name: @trace, @trace(name="parse"). Coroutines and
    generators are recorded from their first step to their last.
    """
    def apply(function):
        text = name or getattr(function, "__qualname__", None) or \
            repr(function)
        code = getattr(function, "__code__", None)
        if isinstance(code, types.CodeType):
            # Other objects, as compilers make them, do not run that code.
            of = (_of_same_name if text == code.co_name and
                  isinstance(function, types.FunctionType) else _of_function)
            return decorate(_ctprof.range._of(text, code), function, of)
        return decorate(_ctprof.range(text), function)
    return apply if function is None else apply(function)


class record_function:
    """A labelled range, as a block or a decorator.

    With `asynchronous`, it does not nest in its thread. Then a future may end
    it in place of the block; see end_with().
    """

    def __init__(self, name, args=None, *, asynchronous=False):
        self.name = name
        self._timed = (_ctprof.range(name) if args is None
                       else _ctprof.range(name, args=args))
        self._asynchronous = asynchronous
        self._span = None
        self._is_entered = False
        self._future = None

    def __enter__(self):
        if self._is_entered:
            raise RuntimeError(f"the range {self.name!r} was already entered")
        self._is_entered = True
        if self._asynchronous:
            self._span = _Span(self.name, self._timed._args).__enter__()
        else:
            self._timed.__enter__()
        return self

    def __exit__(self, *error):
        if not self._asynchronous:
            self._timed.__exit__(*error)
        elif self._future is None:
            self._span.__exit__()

    def __call__(self, function):
        return decorate(self._timed, function, _outside_the_nesting
                        if self._asynchronous else _of_function)

    def end_with(self, future):
        """Ends the range when the future is done; returns the future.

        The future is from concurrent.futures or asyncio. A range without
        `asynchronous` nests, so it still ends with its block; the future then
        ends an asynchronous range that begins here.
        """
        if not self._is_entered:
            raise RuntimeError(f"the range {self.name!r} has not begun")
        if self._future is not None:
            raise RuntimeError(f"the range {self.name!r} already has a future")
        span = self._span or _Span(self.name).__enter__()
        future.add_done_callback(span.__exit__)
        self._future = future
        return future
