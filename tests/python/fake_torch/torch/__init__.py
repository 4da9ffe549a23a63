# SPDX-License-Identifier: MIT
"""The modules of PyTorch that ctprof hooks, with a "compiler" that traces by
calling: compile(f) traces f and what TRACED lists, and inlines by name."""

__version__ = "2.15.0+fake"


def compile(function):
    """The function, traced at its first call."""
    traced = []

    def compiled(*args):
        if not traced:
            from torch._dynamo.symbolic_convert import InstructionTranslator
            traced.append(InstructionTranslator(function))
            try:
                traced[0].run()
            except NotImplementedError:
                pass
        return function(*args)
    return compiled
