# SPDX-License-Identifier: MIT
"""Traces a function: inlines the functions that its code names, in order. A
function that names `print` breaks the graph."""
import os

from torch._guards import CompileContext
from torch._dynamo.dynamo_profiler import DynamoProfilerState
from torch._dynamo.output_graph import OutputGraph


class Function:
    def __init__(self, function):
        self.function = function

    def get_code(self):
        return self.function.__code__


class Builtin:
    def get_code(self):
        raise TypeError("no code")


class InstructionTranslatorBase:
    def trace(self):
        for name in self.function.__code__.co_names:
            if name == "print":
                raise NotImplementedError(name)
            callee = self.function.__globals__.get(name)
            if callee is None:
                InliningInstructionTranslator.inline_call(
                    self, Builtin(), [], {})
            else:
                InliningInstructionTranslator.inline_call(
                    self, Function(callee), [], {})

    def run(self):
        self.trace()


class InstructionTranslator(InstructionTranslatorBase):
    inline_depth = 0

    def __init__(self, function):
        self.function = function
        self.f_code = function.__code__
        self.profiler_state = DynamoProfilerState()
        CompileContext.count += 1

    def trace(self):
        try:
            super().trace()
            OutputGraph().call_user_compiler(self)
        finally:
            self.profile()

    def profile(self):
        file = os.environ.get("TORCH_COMPILE_DYNAMO_PROFILER")
        if file:
            self.profiler_state.timings.append(self.function.__name__)
            self.profiler_state.dump_stats(file)


class InliningInstructionTranslator(InstructionTranslatorBase):
    @classmethod
    def inline_call(cls, parent, func, args, kwargs):
        if isinstance(func, Builtin):
            return None
        tracer = cls()
        tracer.function = func.function
        tracer.inline_depth = parent.inline_depth + 1
        return tracer.inline_call_()

    def inline_call_(self):
        self.run()
