# SPDX-License-Identifier: MIT
"""Records the functions that torch.compile traces.

Dynamo interprets the bytecode of a function to trace it, and inlines the
functions that this one calls. Each becomes a range of its thread, from the begin
of its tracing to its end, also if tracing fails. The range of the outermost one
has the compilation's id. The back end, which compiles a graph meanwhile, is a
range inside: it is not tracing.

The methods that trace are wrapped when torch._dynamo is imported: they have had
the same names from PyTorch 2.4 to 2.15. If they have not, PyTorch writes its own
log, as with TORCH_TRACE, beside ours.
"""
import atexit
import os
import sys

from . import _ctprof, _session

_VERSIONS = "2.4 to 2.15"
_is_installed = False
_has_failed = False
# Behind names where executed functions are recorded, too: traced is not
# executed.
_suffix = ""


def _range(code, **args):
    return _ctprof.range._traced(code.co_name + _suffix, code,
                                 {"bytecode": len(code.co_code), **args})


def _around_inline(usual):
    """InliningInstructionTranslator.inline_call(), which traces a callee."""
    def inline_call(cls, parent, func, *args, **kwargs):
        try:
            traced = _range(func.get_code(),
                            inline_depth=parent.inline_depth + 1)
        except Exception:
            # Not a function of the program.
            return usual(cls, parent, func, *args, **kwargs)
        with traced:
            return usual(cls, parent, func, *args, **kwargs)
    return classmethod(inline_call)


def _around_run(usual, current_compile_id):
    """InstructionTranslator.run(), which traces a frame."""
    def run(self, *args, **kwargs):
        try:
            traced = _range(self.f_code, inline_depth=0,
                            compile_id=str(current_compile_id()))
        except Exception as error:
            _fail(error)
            return usual(self, *args, **kwargs)
        with traced:
            return usual(self, *args, **kwargs)
    return run


def _around_back_end(usual):
    """OutputGraph.call_user_compiler(), which has a graph compiled."""
    inner = usual
    while hasattr(inner, "__wrapped__"):  # inspect takes long to import
        inner = inner.__wrapped__
    code = inner.__code__

    def call_user_compiler(self, *args, **kwargs):
        compiler = getattr(self, "compiler_fn", None)
        name = str(getattr(compiler, "compiler_name", None) or
                   getattr(compiler, "__name__", "unknown"))
        with _ctprof.range._traced(f"back end {name}", code,
                                   {"backend": name}):
            return usual(self, *args, **kwargs)
    return call_user_compiler


def _hook_back_end(module):
    graph = module.OutputGraph
    graph.call_user_compiler = _around_back_end(graph.call_user_compiler)


def _hook_translators(module):
    inliner = module.InliningInstructionTranslator
    tracer = module.InstructionTranslator
    guards = sys.modules["torch._guards"]
    inline_call = _around_inline(vars(inliner)["inline_call"].__func__)
    run = _around_run(tracer.run, guards.CompileContext.current_compile_id)
    inliner.inline_call = inline_call
    tracer.run = run


def _hook_profiler(module):
    """TORCH_COMPILE_DYNAMO_PROFILER=FILE: all frames share their timings, or
    the file would have those of the last frame only."""
    timings = []

    class DynamoProfilerState(module.DynamoProfilerState):
        """The timings of all frames."""

        def __init__(self):
            super().__init__()
            self.timings = timings
    for name in (module.__name__, *_HOOKS):
        user = sys.modules.get(name)
        if hasattr(user, "DynamoProfilerState"):
            user.DynamoProfilerState = DynamoProfilerState


_HOOKS = {
    "torch._dynamo.output_graph": _hook_back_end,
    "torch._dynamo.symbolic_convert": _hook_translators,
    "torch._dynamo.dynamo_profiler": _hook_profiler,
}


def _log_directory():
    """The directory of PyTorch's own log: run.torch_trace beside run.ctp."""
    path = _ctprof.status().partition("recording to ")[2].partition(" (")[0]
    from . import _program  # whose imports take time, too
    path = path or _program.wanted_log()
    return f"{os.path.splitext(path)[0]}.torch_trace"


def _use_torch_trace():
    """Has PyTorch write its own log, as TORCH_TRACE does, which it reads too
    early for us: when torch is imported. The log's directory; None if it
    cannot."""
    logging = sys.modules.get("torch._logging._internal")
    logger = getattr(logging, "trace_log", None)
    # It has no file yet, and goes away at the first message without a
    # directory. Only newer versions keep it then.
    handler = next((one for one in getattr(logger, "handlers", ())
                    if hasattr(one, "root_dir")),
                   getattr(logging, "LOG_TRACE_HANDLER", None))
    if logger is None or not hasattr(handler, "root_dir"):
        return None
    handler.root_dir = handler.root_dir or _log_directory()
    if handler not in logger.handlers:
        logger.addHandler(handler)
    # One directory for all ranks.
    from . import _program
    _program.set_torch_trace(handler.root_dir)
    return handler.root_dir


def _name_log(directory, pid):
    """Runs at the exit."""
    if os.getpid() == pid and os.path.isdir(directory):
        _session.say(f"{directory}: PyTorch's own log of torch.compile; "
                     f"'ctprof compilations {directory}' shows it")


def _fail(error):
    """PyTorch lacks something that the hooks need."""
    global _has_failed
    if _has_failed:
        return
    _has_failed = True
    version = getattr(sys.modules.get("torch"), "__version__", "?")
    if isinstance(error, KeyError):
        reason = f"has no {error}"
    elif isinstance(error, AttributeError) and error.name:
        reason = f"has no attribute '{error.name}'"
    else:
        reason = f"differs ({error})"
    _session.say(f"torch.compile is not recorded: PyTorch {version} {reason}; "
                 f"--compile works with {_VERSIONS}")
    directory = _use_torch_trace()
    if directory:
        atexit.register(_name_log, directory, os.getpid())


def _hook(name, module):
    try:
        _HOOKS[name](module)
    except Exception as error:
        _fail(error)


class _Finder:
    """Finds the modules to hook as the other finders do."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _HOOKS:
            return None
        finders = (finder.find_spec for finder in sys.meta_path
                   if finder is not _Finder and hasattr(finder, "find_spec"))
        spec = next(filter(None, (find(name, path, target)
                                  for find in finders)), None)
        loader = getattr(spec, "loader", None)
        if loader is not None:
            usual = loader.exec_module

            def exec_module(module):
                usual(module)
                _hook(name, module)
            loader.exec_module = exec_module
        return spec


def install(suffix=""):
    """Records from now on, whenever ctprof records."""
    global _is_installed, _suffix
    _suffix = suffix
    if _is_installed:
        return
    _is_installed = True
    for name in _HOOKS:
        if name in sys.modules:
            _hook(name, sys.modules[name])
    sys.meta_path.insert(0, _Finder)
