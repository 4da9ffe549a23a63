# SPDX-License-Identifier: MIT
"""The interpreter's own machinery, and pieces of the standard library."""

import ast
import contextvars
import heapq
import importlib
import inspect
import io
import itertools
import json
import json.encoder
import json.scanner
import logging
import re
import string
import sys
import textwrap
import threading
import tokenize
import warnings

TEXT = textwrap.dedent('''
    import os
    class Thing(object):
        """What it is."""
        def act(self, *args, key=None, **rest):
            return [x ** 2 for x in args if x] or {**rest, "k": key}
    async def wait(): await Thing().act(1, 2)[0]
''')


def run_import():
    for name in "colorsys", "sndhdr", "stringprep", "this_is_no_module":
        sys.modules.pop(name, None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                importlib.import_module(name)
            except ImportError:
                pass
    sys.modules.pop("colorsys")
    import colorsys
    colorsys.rgb_to_hls(0, 0, 0)


def run_parse_and_unparse():
    ast.unparse(ast.parse(TEXT))
    compile(TEXT, "<text>", "exec")


def run_tokenize():
    list(tokenize.generate_tokens(io.StringIO(TEXT).readline))


def run_json():
    value = {"a": [1, 2.5, None, True, {"b": "caf\u00e9"}], "c": {}}
    text = json.dumps(value)
    assert json.loads(text) == value
    # The encoder and the decoder that are written in Python.
    chunks = json.encoder._make_iterencode(
        {}, None, json.encoder.py_encode_basestring, None, float.__repr__,
        ": ", ", ", True, False, False)(value, 0)
    json.loads("".join(chunks))
    decoder = json.JSONDecoder()
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    decoder.decode(text)


def run_regular_expressions():
    compiler = sys.modules["re._compiler"]
    for pattern in r"(a|b)*c{2,3}", r"(?P<year>\d{4})-(?:x|y)", r"[^a-z]+$":
        compiler.compile(pattern, 0)
    re.findall("a+", "aa b a")
    re.split(r"\s", "a b")


def run_logging():
    logger = logging.Logger("test", logging.INFO)
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    logger.info("a %s", 1)
    logger.debug("not said")
    logger.handlers.pop().close()


def run_inspect():
    def function(a, /, b: int, *c, d=1, **e) -> str:
        return a

    str(inspect.signature(function))
    inspect.getdoc(run_inspect)
    inspect.isfunction(function)


def run_templates():
    string.Template("$a ${b}").substitute(a=1, b=2)
    textwrap.fill("some words that are wrapped to lines", 12)
    heapq.nsmallest(2, [3, 1, 2], key=lambda n: -n)


def run_context_variables():
    variable = contextvars.ContextVar("variable", default=0)

    def inside(n):
        variable.set(n)
        return variable.get()

    contextvars.copy_context().run(inside, 3)
    assert variable.get() == 0
    return {"inside": 1}


def run_locks():
    lock = threading.RLock()
    with lock, lock:
        pass
    condition = threading.Condition(threading.Lock())
    with condition:
        condition.notify_all()
    event = threading.Event()
    event.set()
    event.wait()
    local = threading.local()
    local.value = 1


def run_trace_function():
    # A trace function of the program, beside a profile function.
    seen = itertools.count()

    def trace(frame, event, arg):
        next(seen)
        return trace

    def traced(n):
        return len(str(n))

    before = sys.gettrace()
    sys.settrace(trace)
    traced(1)
    traced(2)
    sys.settrace(before)
    return {"traced": 2}


def run_frames():
    def here(depth):
        frame = sys._getframe(depth)
        return frame.f_code.co_name, frame.f_lineno, len(frame.f_locals)

    assert here(0)[0] == "here"
    here(1)
    return {"here": 2}
