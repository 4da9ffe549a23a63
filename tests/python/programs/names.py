# SPDX-License-Identifier: MIT
"""Code that shares a name, a line or an address, or has no file."""

import types


def apply(function, *args):
    return function(*args)


def run_lambdas_on_one_line():
    add, sub, mul = (lambda a, b: a + b), (lambda a, b: a - b), lambda a, b: a
    apply(add, 1, 2), apply(sub, 1, 2), apply(mul, 1, 2), apply(add, 3, 4)
    add(1, 2), sub(1, 2)
    return {"<lambda>": 6, "apply": 4}


def run_comprehensions_on_one_line():
    one, two = [n for n in range(3)], [n + 1 for n in range(2)]
    assert len({n for n in one}) + len({n: n for n in two}) == 5
    [[len(str(m)) for m in range(n)] for n in (1, 2)]
    return {"run_comprehensions_on_one_line": 1}


def run_comprehensions_that_call():
    [apply(len, text) for text in ("a", "bc")]
    {apply(lambda n: n % 2, n) for n in range(4)}
    {n: [apply(abs, m) for m in range(n)] for n in range(3)}
    return {"apply": 9, "<lambda>": 4}


TEXT = """
def made(n):
    return n if n == 0 else made(n - 1)
made(2)
class Made:
    def __init__(self): made(0)
Made()
"""


def run_exec():
    for _ in range(3):
        exec(TEXT, {})
    code = compile(TEXT, "<generated>", "exec")
    for _ in range(2):
        exec(code, {})
    return {"made": 20, "__init__": 5, "<module>": 5}


def run_eval():
    eval("sum([1, 2])")
    eval("apply(len, 'abc')")
    for _ in range(2):
        eval("(lambda n: n + 1)(1)")
    eval(compile("[apply(len, 'a') for _ in range(2)]", "<string>", "eval"))
    return {"apply": 3}


def run_same_name_on_the_same_line():
    functions = []
    for body in "1", "len('a')", "2":
        space = {}
        exec(f"def twin(): return {body}", space)
        functions.append(space["twin"])
    for function in functions:
        function()
        apply(function)
    return {"twin": 6}


def run_code_at_the_same_address():
    # Nothing else holds the code: the next object may get its address.
    for n in range(20):
        space = {"apply": apply}
        exec(f"def short_{n}(): return apply(len, 'a')", space)
        space.pop(f"short_{n}")()
    return {"apply": 20, **{f"short_{n}": 1 for n in range(20)}}


def original():
    return 1


def run_code_swapped():
    def other():
        return apply(len, "abc")

    changing = types.FunctionType(original.__code__, globals(), "changing")
    changing()
    changing.__code__ = (lambda: 2).__code__
    changing()
    changing.__code__ = original.__code__.replace(co_name="renamed")
    changing()
    other()
    return {"original": 1, "renamed": 1, "<lambda>": 1, "apply": 1}


def run_strange_names():
    # Strange but possible file names, names and lines.
    for name, file in (("caf\u00e9", "\u6587.py"), ("a" * 10_000, "long.py"),
                       ("quote\"'", "back\\slash.py"), ("new\nline", "a;b c"),
                       ("<tag>&amp;", "<stdin>"), ("tab\t", ""),
                       ("", "empty.py"), ("\U0001f40d", "\x01\x7f")):
        code = original.__code__.replace(co_name=name, co_filename=file,
                                         co_qualname=name)
        types.FunctionType(code, {})()
    line = original.__code__.replace(co_firstlineno=0, co_name="line_0")
    types.FunctionType(line, {})()
    return {"caf\u00e9": 1, "a" * 10_000: 1, "line_0": 1}


def run_nested_functions():
    def outer(n):
        def inner(n):
            return outer(n - 1) if n > 0 else 0
        return inner(n)

    outer(3)
    return {"outer": 4, "inner": 4}


def run_default_arguments_call():
    for n in range(2):
        def made(value=apply(len, "abc"), *, key=apply(abs, n)):
            return value, key
        made()
    return {"apply": 4, "made": 2}


def run_type_parameters():
    # This syntax is newer than the oldest Python of this test.
    try:
        code = compile("def first[T](x: T) -> T: return x\n"
                       "class Box[T]:\n    def get(self): return 1\n"
                       "type Alias = list[int]\n"
                       "first(1), Box().get(), Alias.__value__\n",
                       "<new>", "exec")
    except SyntaxError:
        return {}
    exec(code, {})
    return {"first": 1, "get": 1, "Alias": 1}
