# SPDX-License-Identifier: MIT
"""Runs a program as python3 itself does, and records it.

The program is `__main__`. Its arguments, sys.path and exit status are the same
as without ctprof, and tracebacks hide our frames. It runs through
builtins.exec, which is the root of the profile, as under cProfile. Atexit
handlers and threads that run after the main module has ended are recorded, too.
"""
import atexit
import builtins
import importlib.machinery
import io
import os
import pkgutil
import runpy
import sys
import types

from . import _ctprof, _options, _output, _program, _session

# The default of --output.
_LOG = "run.ctp"


class _CannotOpen(Exception):
    """With the message of python3."""


class _Exists(Exception):
    """The output exists; with its name."""


def _new_main(**values):
    """A fresh __main__ module; returns its namespace."""
    module = types.ModuleType("__main__")
    vars(module).update(__builtins__=builtins, **values)
    if sys.version_info < (3, 14):
        module.__annotations__ = {}
    sys.modules["__main__"] = module
    # multiprocessing may have made an alias.
    if "__mp_main__" in sys.modules:
        sys.modules["__mp_main__"] = module
    return vars(module)


def _set_path(path):
    """Sets sys.path[0], which python3 -P leaves out."""
    if not sys.flags.safe_path:
        sys.path[0] = path


def _load_code(source, args):
    """python3 -c"""
    _set_path("")
    sys.argv[:] = ["-c", *args]
    code = compile(source, "<string>", "exec", dont_inherit=True)
    if sys.version_info >= (3, 13):
        # From there on, tracebacks show its lines.
        import linecache
        linecache.cache["<string>"] = (
            len(source), None, source.splitlines(True), "<string>")
    return code, _new_main(__loader__=importlib.machinery.BuiltinImporter)


def _load_module(name, args):
    """python3 -m, which finds the module as a part of the run."""
    sys.argv[:] = ["-m", *args]
    _new_main()
    code = compile("run(name)", __file__, "exec", dont_inherit=True)
    return code, {"run": runpy._run_module_as_main, "name": name}


def _load_directory(path, full, args):
    """A directory or archive with a __main__.py."""
    sys.argv[:] = [path, *args]
    if sys.flags.safe_path:
        sys.path.insert(0, full)
    else:
        sys.path[0] = full
    _new_main()
    code = compile("run('__main__', False)", __file__, "exec",
                   dont_inherit=True)
    return code, {"run": runpy._run_module_as_main}


def _load_input(args):
    """python3 -"""
    sys.argv[:] = ["-", *args]
    _set_path("")
    source = sys.stdin.buffer.read() if sys.stdin else b""
    code = compile(source, "<stdin>", "exec", dont_inherit=True)
    return code, _new_main(__loader__=importlib.machinery.BuiltinImporter,
                           __file__="<stdin>", __cached__=None)


def _read_script(path):
    """The script's code, and the loader for such a file. The file may be a
    pipe, so it is read once."""
    with io.open_code(path) as file:
        content = file.read()
    code = pkgutil.read_code(io.BytesIO(content))
    if code is not None:
        return code, importlib.machinery.SourcelessFileLoader
    code = compile(content, path, "exec", dont_inherit=True)
    return code, importlib.machinery.SourceFileLoader


def _load_script(path, args):
    """python3 SCRIPT"""
    if path == "-":
        return _load_input(args)
    full = os.path.join(os.getcwd(), path)
    if pkgutil.get_importer(full) is not None:
        return _load_directory(path, full, args)
    sys.argv[:] = [path, *args]
    _set_path(os.path.dirname(os.path.realpath(full)))
    try:
        code, loader = _read_script(full)
    except OSError as error:
        raise _CannotOpen(f"can't open file {full!r}: [Errno {error.errno}] "
                          f"{error.strerror}") from None
    return code, _new_main(__loader__=loader("__main__", full), __file__=full,
                           __cached__=None)


_LOADERS = {"script": _load_script, "module": _load_module,
            "code": _load_code}


def _hide(trace):
    """A traceback without our frames: all up to our last one."""
    at = trace
    while at is not None:
        if at.tb_frame.f_code.co_filename == __file__:
            trace = at.tb_next
        at = at.tb_next
    return trace


def _hide_in_traceback():
    """Hides our frames in the next traceback that python3 prints."""
    usual = sys.excepthook

    def hook(kind, value, trace):
        sys.excepthook = usual
        trace = sys.last_traceback = _hide(trace)
        value.__traceback__ = trace
        usual(kind, value, trace)
    sys.excepthook = hook


class _Run:
    """One run: its log, and the output made from it."""

    def __init__(self, request):
        self._request = request
        self._is_kept = bool(request.output) or not request.sort
        self._pid = os.getpid()
        self._name = request.output or _LOG
        self._output = _output.Output(self._name, self._is_kept)
        self._is_tracing = False
        self._is_missing = False  # there is no such module
        self._has_parent = False

    def begin(self, has_parent):
        """False if the program is to run without being recorded. Raises
        _Exists if it must not run, so that no recording is lost."""
        self._has_parent = has_parent
        try:
            if _session.is_recording():
                if self._request.output and not has_parent:
                    _session.say(f"--output has no effect: {_ctprof.status()}")
                self._output = None
                if has_parent:
                    _program.follow(_options.write_words(self._request))
                return True
            # Pipes and devices have no contents to lose.
            if (self._is_kept and not self._request.force and
                    os.path.isfile(self._output.path)):
                raise _Exists(self._name)
            _session.begin(self._output.pattern(), self._request.min_us,
                           self._request.last, self._request.dump_signal)
        except (RuntimeError, ValueError) as error:
            _session.say(f"not recording: {error}")
            return False
        return True

    def execute(self, code, namespace):
        """Runs the program; calls nothing else between start and stop."""
        callbacks = atexit._ncallbacks()
        self._is_tracing = True
        try:
            _session.trace_request(self._request)
        except RuntimeError as error:
            # Another tracer is active. That is fine if it is ours.
            self._is_tracing = False
            if self._output is not None or "already tracing" not in str(error):
                _session.say(f"calls are not recorded: {error}")
        except ValueError as error:
            self._abandon()
            raise _options.UsageError(str(error)) from None
        try:
            exec(code, namespace)
        except SystemExit as error:
            # Python's message is the exit's argument.
            self._is_missing = isinstance(error.__context__, runpy._Error)
            raise
        finally:
            if self._is_tracing and _ctprof.is_last(callbacks):
                _session.untrace()
                self._is_tracing = False

    def _abandon(self):
        atexit.unregister(self.finish)
        if self._output is not None:
            _session.end()
            self._output.discard()
        elif self._has_parent:
            _ctprof.record_stop()
            _program.remove_log()

    def finish(self):
        """The last atexit handler, also in forked children."""
        try:
            if self._is_tracing:
                self._is_tracing = False
                _session.untrace()
            if self._output is None:
                self._finish_with_parent()
                return
            _session.end()
            if os.getpid() != self._pid:
                return
            if self._is_missing:
                self._output.discard()
                _session.say("nothing was recorded")
            else:
                self._deliver()
        except (ImportError, RuntimeError, ValueError, OSError) as error:
            # The program may have given up the right to read modules.
            _session.say(str(error))

    def _finish_with_parent(self):
        if not self._has_parent:
            return
        # A signal may follow at once, as for a KeyboardInterrupt.
        if _session.is_recording():
            _ctprof.record_stop()
        if self._is_missing and os.getpid() == self._pid:
            _program.remove_log()
            _session.say("nothing was recorded")

    def _deliver(self):
        request = self._request
        try:
            self._output.join_children(request.separate)
        except (RuntimeError, OSError) as error:
            _session.say(str(error))
        try:
            if request.sort:
                self._output.print_stats(request.sort)
        finally:
            self._output.deliver()
        if not request.quiet and self._is_kept:
            _session.say(f"{self._name}: recorded")


def _hand_over(request):
    """Becomes `ctprof record`, which runs this command again, and joins and
    converts its recording, however the program ends. Returns if it cannot."""
    output = request.output or _LOG
    if (request.sort or not sys.executable or _ctprof.is_privileged or
            _session.is_recording() or not _output.is_writable(output)):
        return
    try:
        _program.record(
            ["--launched", "--no-preload",
             f"--output={output}",
             f"--min-ns={round(request.min_us * 1000)}",
             *["--separate"] * request.separate,
             *[f"--last={request.last}"] * bool(request.last),
             *[f"--dump-signal={request.dump_signal}"] *
             bool(request.dump_signal),
             *["--force"] * request.force, *["--quiet"] * request.quiet],
            [sys.executable, *sys.orig_argv[1:]])
    except (RuntimeError, OSError):
        pass  # this process joins and converts


def _run(request):
    has_parent = _program.has_parent()
    if not has_parent:
        _hand_over(request)
    if request.output:
        try:
            _output.check_suffix(request.output)
        except ValueError as error:
            raise _options.UsageError(str(error)) from None
    try:
        code, namespace = _LOADERS[request.kind](request.target, request.args)
    except _CannotOpen as error:
        print(f"{sys.orig_argv[0]}: {error}", file=sys.stderr)
        _session.say("nothing was recorded")
        return 2
    except BaseException:
        # Runs after the traceback, which python3 prints when we have returned.
        atexit.register(_session.say, "nothing was recorded")
        raise
    run = _Run(request)
    if not run.begin(has_parent):
        exec(code, namespace)
        return 0
    atexit.register(run.finish)
    run.execute(code, namespace)
    return 0


def _run_command(words):
    """Becomes the program ctprof; returns only if that fails."""
    try:
        os.execv(_program.find(), ["ctprof", *words])
    except (RuntimeError, OSError) as error:
        _session.say(str(error))
        return 3


def _record_process(request):
    """Becomes `ctprof record` of a running process."""
    words = [*_options.write_words(request), f"--pid={request.pid}",
             f"--output={request.output or _LOG}",
             f"--min-ns={round(request.min_us * 1000)}"]
    words += [f"--{name}={getattr(request, name)}"
              for name in ("duration", "wait", "last")
              if getattr(request, name)]
    words += [f"--{name}" for name in ("force", "separate")
              if getattr(request, name)]
    return _run_command(["record", *words])


def main(words):
    """Returns the exit status, or ends as the program does."""
    if words and words[0] in _options.COMMANDS:
        return _run_command(words)
    try:
        request = _options.read_command(words)
        if not request.help and not request.version:
            return (_run(request) if request.pid is None else
                    _record_process(request))
        print(_options.usage() if request.help else
              f"ctprof {_ctprof.__version__}\n", end="")
        return 0
    except _options.UsageError as error:
        _session.say(str(error))
        return 2
    except _Exists as error:
        _session.say(f"{error}: exists; --force overwrites it")
        return 5
    except SystemExit:
        raise
    except BaseException:
        _hide_in_traceback()
        raise
