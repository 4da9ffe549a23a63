# SPDX-License-Identifier: MIT
"""Real work: the standard library on its own files, and a package's own tests
if it is installed."""

import ast
import compileall
import contextlib
import difflib
import importlib
import io
import json
import json.encoder
import pathlib
import pydoc
import pickle
import sys
import tempfile
import tokenize
import unittest

LIBRARY = pathlib.Path(ast.__file__).parent


def source(name):
    return (LIBRARY / f"{name}.py").read_text(encoding="utf-8")


def run_compileall():
    with tempfile.TemporaryDirectory() as work:
        for name in "bisect", "keyword", "this", "abc":
            text = "" if name == "this" else source(name)
            pathlib.Path(work, f"{name}.py").write_text(text)
        # By the name in tracebacks; the directory's own name is random.
        compileall.compile_dir(work, ddir="compiled", quiet=2, force=True)


def run_compile_and_execute():
    for name in "bisect", "colorsys", "keyword", "stat", "fnmatch":
        code = compile(source(name), f"{name}.py", "exec")
        exec(code, {"__name__": name})


def run_syntax_trees():
    for name in "bisect", "keyword":
        tree = ast.parse(source(name))
        ast.unparse(tree)
        sum(isinstance(node, ast.Call) for node in ast.walk(tree))


def run_pydoc():
    pydoc.render_doc("keyword")
    pydoc.plain(pydoc.render_doc("bisect"))
    pydoc.HTMLDoc().docmodule(importlib.import_module("keyword"))


def run_json_in_python():
    value = [{"number": n, "text": "caf\u00e9 \"x\"" * (n % 3),
              "list": [n, []], "none": None, "more": {"a": n / 3}}
             for n in range(60)]
    encode = json.encoder._make_iterencode(
        {}, json.encoder.py_encode_basestring_ascii,
        json.encoder.py_encode_basestring_ascii, "  ", float.__repr__,
        ": ", ", ", True, False, False)
    text = "".join(encode(value, 0))
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    assert decoder.decode(text) == value


def run_pattern_compiler():
    compiler = sys.modules["re._compiler"]
    compiler.compile(tokenize.PseudoToken, 0)
    for n in range(4):
        compiler.compile(rf"(?i:a{{{n}}}|[b-f]+?)(?P<x>\w*)\b(?=$|\d)", 0)


def run_pickle_in_python():
    value = {n: (str(n), [n, {n}], None) for n in range(40)}
    assert pickle._loads(pickle._dumps(value)) == value


def run_differences():
    one, other = source("bisect").split("\n"), source("keyword").split("\n")
    list(difflib.unified_diff(one, other))


def run_unit_tests():
    class Sample(unittest.TestCase):
        def test_good(self):
            self.assertEqual([1, {"a": 2}], [1, {"a": 2}])

        def test_bad(self):
            self.assertIn(3, [1])

        def test_sub(self):
            for n in range(3):
                with self.subTest(n=n):
                    self.assertLess(n, 2)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Sample).run(result)
    assert len(result.failures) == 2


def run_package_tests():
    # Pure Python, with its own tests: pyflakes.
    suite = unittest.defaultTestLoader.loadTestsFromNames(
        ["pyflakes.test.test_dict", "pyflakes.test.test_builtin"])
    result = unittest.TestResult()
    with contextlib.redirect_stdout(io.StringIO()):
        suite.run(result)
    assert result.wasSuccessful() and result.testsRun > 10


try:
    importlib.import_module("pyflakes.test")
except ImportError:
    del run_package_tests
