# SPDX-License-Identifier: MIT
"""Calls: recursion of every kind, callbacks from C, decorators."""

import functools
import itertools
import operator
import re
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run_direct_recursion():
    fib(11)
    return {"fib": 287}


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def run_mutual_recursion():
    even(9)
    odd(4)
    even(0)
    return {"even": 8, "odd": 8}


def first(n):
    if n > 0:
        second(n - 1)
        third(n - 2)


def second(n):
    if n > 0:
        first(n - 1)
        second(n - 2)


def third(n):
    if n > 0:
        second(n - 1)
        first(n - 1)
        third(n - 3)


def run_recursion_of_three():
    first(6)
    second(5)


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


def run_deep_recursion():
    down(799)
    return {"down": 800}


def run_very_deep_recursion():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    down(49_999)
    sys.setrecursionlimit(limit)
    return {"down": 50_000}


def endless(n):
    return endless(n + 1)


def run_recursion_error():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        endless(0)
    except RecursionError:
        pass
    finally:
        sys.setrecursionlimit(limit)


def tree(n):
    return sum(map(tree, [n - 1, n - 2])) if n > 0 else 1


def run_recursion_through_map():
    tree(6)


def weight(n):
    return len(sorted(range(n), key=weight)) if n > 0 else 0


def run_recursion_through_sorted():
    weight(5)
    return {"weight": 32}


def fold(total, n):
    if n > 1:
        total += functools.reduce(fold, range(n), 0)
    return total + n


def run_recursion_through_reduce():
    functools.reduce(fold, range(5), 0)


def negative(n):
    return -n


def double(match):
    return match.group() * 2


def run_callbacks_from_c():
    numbers = [3, 1, 2]
    sorted(numbers, key=negative)
    numbers.sort(key=negative)
    max(numbers, key=negative)
    min(numbers, key=lambda n: n)
    list(filter(lambda n: n > 1, numbers))
    list(map(len, ["a", "bc"]))
    functools.reduce(lambda a, b: a + b, numbers)
    re.sub("[a-c]", double, "abcd")
    dict(zip(map(negative, numbers), numbers))
    return {"negative": 12, "double": 3}


def noisy(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@noisy
@noisy
def decorated(n, *, more=0):
    return n + more


def run_decorators():
    for n in range(4):
        decorated(n, more=n)
    noisy(len)("abc")
    noisy(decorated)(1)


def run_lru_cache():
    @functools.lru_cache(maxsize=None)
    def cached(n):
        return n if n < 2 else cached(n - 1) + cached(n - 2)

    cached(15)
    cached(15)
    cached.cache_info()
    cached.cache_clear()
    cached(3)
    return {"cached": 20}


def many(a, b=2, *rest, c=3, **others):
    return a, b, rest, c, others


def run_arguments():
    many(1)
    many(1, 2, 3, 4, c=5, d=6)
    many(*[1, 2, 3], **{"c": 1, "e": 2})
    many(b=1, a=2)
    method = "x".join
    method(["a", "b"])
    method(*[["a"]])
    print(*[], sep="", end="", file=sys.stderr)
    dict(a=1)
    int(*["10"], base=2)
    return {"many": 4}


def run_partial_operator_itertools():
    plus = functools.partial(many, 1, c=2)
    plus(3)
    functools.partial(plus, 4)()
    functools.partial(len, "abc")()
    operator.itemgetter(1)([1, 2])
    operator.attrgetter("real")(1)
    operator.methodcaller("upper")("a")
    operator.add(1, 2)
    list(itertools.accumulate([1, 2, 3], operator.add))
    list(itertools.accumulate([1, 2, 3], lambda a, b: a * b))
    list(itertools.starmap(many, [(1, 2), (3,)]))
    list(itertools.takewhile(lambda n: n < 2, itertools.count()))
    [list(group) for _, group in itertools.groupby([1, 1, 2], negative)]
    return {"many": 4, "negative": 3}


def leaf():
    return None


def branch():
    leaf()
    leaf()


def run_same_callee_of_many_lines():
    leaf()
    branch()
    leaf()
    for _ in range(3):
        leaf(), branch(), leaf()
    return {"leaf": 16, "branch": 4}


def run_closures():
    def counter():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count
        return step

    one, other = counter(), counter()
    one(), other(), one()
    return {"counter": 2, "step": 3}


def run_nothing():
    return {}
