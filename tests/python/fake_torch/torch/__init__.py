# SPDX-License-Identifier: MIT
"""The modules of PyTorch that ctprof hooks, with a "compiler" that traces by
calling: compile(f) traces f and what TRACED lists, and inlines by name."""
from torch._guards import CompileContext
from torch._logging import _internal

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
            _internal.log_compilation(CompileContext.count, function.__code__)
        return function(*args)
    return compiled
