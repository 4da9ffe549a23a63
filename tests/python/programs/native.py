# SPDX-License-Identifier: MIT
"""Functions written in C: their ways of being called, and their names."""

import ctypes
import functools
import operator
import time


def run_methods():
    numbers = []
    for n in range(3):
        numbers.append(n)
    list.append(numbers, 3)
    append = numbers.append
    append(4)
    "a b".split()
    str.upper("a")
    {}.get(1)
    dict.get({}, 1)
    (1).bit_length()
    dict.fromkeys("ab")
    {}.fromkeys("ab")
    bytes.fromhex("00")
    str.maketrans("a", "b")
    [].__len__()
    [].__class__
    (1).__add__(2)
    list.__len__([1])
    object().__repr__()


def run_builtins():
    len("abc")
    abs(-1)
    hash("a")
    isinstance(1, (int, str))
    issubclass(bool, int)
    repr([1, "a"])
    sum([1, 2])
    divmod(7, 3)
    getattr("a", "upper")()
    callable(len)
    iter([1]).__next__()
    next(iter([1]), None)
    vars(functools)
    id(1)
    round(1.5)
    pow(2, 3)
    format(1.5, ".2f")
    "{:>3}".format(1)
    "%s" % 1
    time.monotonic_ns()


def run_types():
    int("3")
    str(3)
    list("abc")
    dict(a=1)
    set([1])
    tuple([1])
    object()
    type(1)
    bool(0)
    range(3)
    enumerate([1])
    zip([1], [2])
    super(bool, True)
    type("Made", (), {"x": 1})()
    bytearray(b"a")
    memoryview(b"a")
    property(len)
    staticmethod(len)


class Sub(bytearray):
    def append(self, value):
        super().append(value)

    def extend(self, values):
        for value in values:
            self.append(value)
        super().extend(b"")


class Kept(frozenset):
    def union(self, *others):
        return super().union(*others)


def run_subclass_and_super():
    sub = Sub()
    sub.append(1)
    sub.extend([2, 3])
    plain = bytearray()
    plain.append(1)
    plain.extend(b"a")
    Kept([1]).union([2])
    frozenset([1]).union([2])


def run_new():
    class Point(tuple):
        def __new__(cls, x, y):
            return super().__new__(cls, (x, y))

    class Count(int):
        def __new__(cls, *args):
            return int.__new__(cls, *args)

    Point(1, 2)
    Count(3)
    object.__new__(Point.__mro__[-1])
    return {"__new__": 2}


class Borrowing:
    show = classmethod(repr)
    measure = staticmethod(len)
    plain = len


def run_classmethod_of_c():
    Borrowing.show()
    Borrowing().show()
    return {"run_classmethod_of_c": 1}


def run_classmethod_of_c_starred():
    none = ()
    Borrowing.show(*none)
    Borrowing.show(*none, **{})
    return {"run_classmethod_of_c_starred": 1}


def run_staticmethod_of_c():
    Borrowing.measure("abc")
    Borrowing().measure("abc")
    Borrowing().plain("abc")


def run_starred_calls():
    arguments, words = ["a,b", ","], {"maxsplit": 1}
    "a,b".split(*arguments[1:], **words)
    str.split(*arguments)
    len(*["abc"])
    print(*[], **{"end": "", "flush": False})
    method = [].append
    method(*[1])
    sorted(*[[2, 1]], **{"reverse": True})


def run_operators_are_silent():
    a, b = [1], [2]
    a + b
    a * 2
    a == b
    a[0]
    1 in a
    -1
    len(a) + len(b)
    not a
    del a[0]


def run_operator_module():
    operator.itemgetter(0, 1)("ab")
    operator.lt(1, 2)
    operator.contains([1], 1)
    operator.call(len, "abc")


def compare(a, b):
    return a[0] - b[0]


def run_ctypes_callback():
    integer = ctypes.POINTER(ctypes.c_int)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, integer, integer)
    numbers = (ctypes.c_int * 4)(4, 2, 3, 1)
    ctypes.CDLL(None).qsort(numbers, 4, ctypes.sizeof(ctypes.c_int),
                            kind(compare))
    assert list(numbers) == [1, 2, 3, 4]


def run_c_calls_python_calls_c():
    def key(text):
        return sorted(text, key=str.lower)

    sorted(["cab", "abc"], key=key)
    list(map(functools.partial(map, len), [["a"], ["b"]]))
    return {"key": 2}


def run_string_methods():
    words = "the quick brown fox".split()
    ",".join(word.capitalize() for word in words)
    "".join(map(str.upper, words))
    [word.startswith("t") and word.strip() for word in words]
