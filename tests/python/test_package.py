# SPDX-License-Identifier: MIT
"""The package loads, and its extension is the one of this build."""

import ast
import inspect
import pathlib
import unittest

import support

import ctprof
from ctprof import _ctprof, _recording, dynamo, profile


class Package(support.TestCase):
    def test_extension_reports_the_recorders_state(self):
        self.assertEqual(_ctprof.status(), "off")

    def test_package_and_extension_are_in_one_directory(self):
        self.assertEqual(pathlib.Path(ctprof.__file__).parent,
                         pathlib.Path(_ctprof.__file__).parent)


def parameters(function):
    """The names of the parameters in a definition."""
    given = function.args
    return [one.arg for one in (
        *given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs,
        given.kwarg) if one is not None]


class Types(support.TestCase):
    """The stubs, which type checkers read, name what is there."""

    def stub(self, name):
        path = pathlib.Path(ctprof.__file__).parent / name
        return ast.parse(path.read_text())

    def test_package_has_types(self):
        self.assertTrue(
            (pathlib.Path(ctprof.__file__).parent / "py.typed").exists())

    def check(self, stub, real):
        """The definitions in a stub, beside the module or class."""
        for node in stub.body:
            there = getattr(real, getattr(node, "name", ""), None)
            if isinstance(node, ast.ClassDef) and "NamedTuple" in {
                    getattr(base, "id", None) for base in node.bases}:
                self.assertEqual([one.target.id for one in node.body],
                                 list(there._fields))
            elif isinstance(node, ast.ClassDef):
                self.check(node, there)
            elif isinstance(node, ast.FunctionDef):
                self.assertIsNotNone(there, node.name)
                if inspect.isroutine(there) and node.name != "start":
                    self.check_parameters(node, there)

    def check_parameters(self, node, there):
        try:
            real = list(inspect.signature(there).parameters)
        except ValueError:
            return  # functions in C have texts only
        if inspect.isfunction(there):
            self.assertEqual(parameters(node), real, node.name)

    def test_names_and_parameters_are_those_of_the_code(self):
        stub = self.stub("__init__.pyi")
        self.check(stub, ctprof)
        names = {node.name for node in stub.body if hasattr(node, "name")}
        names |= {one.asname for node in stub.body
                  if isinstance(node, ast.ImportFrom) for one in node.names}
        # IPython calls the function; others do not.
        self.assertEqual(names - {None, "load_ipython_extension"},
                         set(ctprof.__all__))
        for module in (_recording, dynamo, profile):
            name = module.__name__.removeprefix("ctprof.")
            self.check(self.stub(name + ".pyi"), module)

    def test_options_of_start_are_those_of_the_tracer(self):
        [start] = [node for node in self.stub("__init__.pyi").body
                   if getattr(node, "name", None) == "start"]
        text = _ctprof.trace_start.__doc__
        told = ast.parse("def " + text[:text.index("): ")] + "): 0")
        own = set(inspect.signature(ctprof.start).parameters) - {"options"}
        # `skip` is for the package itself.
        tracers = set(parameters(told.body[0])) - {"skip"}
        self.assertEqual(sorted(parameters(start)), sorted(own | tracers))


if __name__ == "__main__":
    unittest.main()
