# SPDX-License-Identifier: MIT
"""Methods that the source never calls by name: special methods, descriptors,
metaclasses, destructors, methods of dataclasses and enumerations."""

import abc
import collections
import copy
import dataclasses
import enum
import functools
import gc
import pickle
import typing
import weakref


class Temperature:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = check(value)

    @functools.cached_property
    def cached(self):
        return check(self._value)

    @staticmethod
    def static(value):
        return check(value)

    @classmethod
    def make(cls, value):
        return cls(value)


def check(value):
    return value


def run_properties():
    one = Temperature.make(1)
    one.value = one.value + 1
    one.cached, one.cached
    one.static(1), Temperature.static(2)
    return {"value": 2, "check": 4, "cached": 1, "make": 1}


class Dynamic:
    def __getattr__(self, name):
        if name.startswith("no"):
            raise AttributeError(name)
        return len(name)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def __call__(self, *args):
        return check(args)


def run_attributes():
    dynamic = Dynamic()
    dynamic.some
    dynamic.own = 1
    dynamic.own
    hasattr(dynamic, "nothing")
    getattr(dynamic, "none", None)
    dynamic(1)
    return {"__getattr__": 3, "__setattr__": 1, "__call__": 1}


class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return hash(self.n) % 2

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n

    def __repr__(self):
        return f"Key({self.n!r})"

    def __bool__(self):
        return self.n > 0

    def __add__(self, other):
        return Key(self.n + other.n)

    def __format__(self, how):
        return repr(self)


def run_operators():
    keys = [Key(n) for n in (3, 1, 2)]
    sorted(keys)
    table = {key: key.n for key in keys}
    Key(3) in table
    keys.index(Key(2))
    [key for key in keys if key]
    f"{keys[0]} {keys!r}"
    str(keys)
    sum(keys, Key(0))
    min(keys), max(keys)


class Steps:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i

    def __contains__(self, n):
        return n == 1


class Sequence:
    __len__ = Steps.__len__
    __getitem__ = Steps.__getitem__
    n = 3


def run_iterators():
    list(Steps(3))
    [n for n in Steps(2)]
    a, b = Steps(2)
    1 in Steps(1)
    list(Sequence())
    list(reversed(Sequence()))
    2 in Sequence()
    list(iter(Steps(2).__next__, 0))


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *failure):
        return failure[0] is not None


def run_context_managers():
    with Manager(), Manager():
        pass
    with Manager():
        raise ValueError
    return {"__enter__": 3, "__exit__": 3}


class Meta(type):
    def __new__(meta, name, bases, body, **options):
        return super().__new__(meta, name, bases, body)

    def __init__(cls, name, bases, body, **options):
        super().__init__(name, bases, body)

    def __call__(cls, *args):
        return super().__call__(*args)

    def __instancecheck__(cls, instance):
        return check(True)

    @classmethod
    def __prepare__(meta, name, bases, **options):
        return {}


class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return check(self.name)

    def __set__(self, instance, value):
        check(value)


def run_metaclass():
    class Made(metaclass=Meta, option=1):
        field = Field()

        def __init__(self, n=0):
            self.field = n

        def __init_subclass__(cls, **options):
            check(options)

    class Derived(Made):
        pass

    Made(1).field, Derived(2)
    isinstance(1, Made)
    return {"__call__": 2, "__set_name__": 1, "__init_subclass__": 1}


class Abstract(abc.ABC):
    @abc.abstractmethod
    def act(self):
        """What it does."""


def run_abstract_classes():
    class Concrete(Abstract):
        def act(self):
            return super().act()

    Concrete().act()
    try:
        Abstract()
    except TypeError:
        pass
    isinstance(Concrete(), collections.abc.Sized)


class Mortal:
    def __init__(self, other=None):
        self.other = other

    def __del__(self):
        check(self)


def run_destructors():
    for _ in range(3):
        Mortal()
    chain = None
    for _ in range(4):
        chain = Mortal(chain)
    del chain
    return {"__del__": 7}


def run_destructors_by_the_collector():
    for _ in range(2):
        one, other = Mortal(), Mortal()
        one.other, other.other = other, one
    del one, other
    gc.collect()
    return {"__del__": 4}


def run_collector_callbacks():
    def watch(phase, info):
        check(phase)

    gc.callbacks.append(watch)
    gc.collect(0)
    gc.collect(1)
    gc.callbacks.remove(watch)
    return {"watch": 4}


def run_weak_references():
    def gone(reference):
        check(reference)

    mortals = [Mortal() for _ in range(3)]
    references = [weakref.ref(mortal, gone) for mortal in mortals]
    finalizer = weakref.finalize(mortals[0], check, 1)
    finalizer.atexit = False
    weak = weakref.WeakValueDictionary(enumerate(mortals))
    del mortals
    len(weak), len(references)
    return {"gone": 3, "__del__": 3}


def run_dataclasses():
    @dataclasses.dataclass(order=True, frozen=True)
    class Point:
        x: int
        y: int = 0
        rest: list = dataclasses.field(default_factory=list)

        def __post_init__(self):
            check(self.x)

    one, other = Point(1), Point(2, 3)
    one == other, one < other, repr(one)
    dataclasses.replace(one, x=3)
    dataclasses.astuple(other)


def run_enumerations():
    class Colour(enum.Enum):
        RED = enum.auto()
        GREEN = "g"

        @property
        def short(self):
            return self.name[0]

    class Flags(enum.IntFlag):
        A = 1
        B = 2

    Colour("g").short, Colour["RED"], list(Colour)
    Flags.A | Flags.B, Flags(3) & Flags.B, repr(Flags.A)


def run_named_tuples():
    Pair = collections.namedtuple("Pair", "left right", defaults=[0])
    Pair(1)._replace(right=2)._asdict()
    repr(Pair(1, 2))

    class Typed(typing.NamedTuple):
        x: int
        y: str = "a"

    Typed(1).y


def run_containers():
    class Default(dict):
        def __missing__(self, key):
            return check(key)

    Default()["a"]
    table = collections.defaultdict(lambda: check([]))
    table["a"].append(1)
    collections.Counter("abca").most_common(1)
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    collections.ChainMap({}, {"a": 1})["a"]
    user = collections.UserList([2, 1])
    user.sort()


def run_copies():
    class Copied:
        def __reduce__(self):
            return check, (1,)

        def __deepcopy__(self, memo):
            return check(self)

    copy.copy([Copied()])
    copy.deepcopy({"a": [1, (2, Copied())], "b": Mortal()})
    pickle.loads(pickle.dumps(Temperature(3)))
    pickle._loads(pickle._dumps([Temperature(3), {"a": (1, None)}]))


def run_single_dispatch():
    @functools.singledispatch
    def show(value):
        return check(value)

    @show.register
    def _(value: int):
        return check(value + 1)

    @show.register(str)
    def _(value):
        return check(value)

    show(1), show("a"), show(1.5), show(True)
    functools.total_ordering(Key)


def run_class_bodies():
    for n in range(3):
        class Local:
            number = check(n)

            def method(self):
                return self.number

        Local().method()
    return {"Local": 3, "method": 3}
