# SPDX-License-Identifier: MIT
"""The magic %%ctprof of IPython and Jupyter."""
import os
import shlex
import tempfile

from . import _ctprof, _options, _output, _session


def _record(shell, request, code):
    """Runs the code; the log is complete whatever it raises."""
    namespace = shell.user_ns
    try:
        _session.trace(request.trace)
        try:
            exec(code, namespace)
        finally:
            _session.untrace()
    finally:
        _session.end()


def _show(request, output):
    if request.sort or not request.output:
        output.print_stats(request.sort or "cumulative")
    output.deliver()


def _magic(shell, line, cell):
    """%%ctprof [-o FILE] [-s KEY] [OPTION...]

    Records the cell into FILE, or prints its profile; the options are those of
    python3 -m ctprof.
    """
    try:
        request = _options.read_words(shlex.split(line))
    except _options.UsageError as error:
        _session.say(str(error))
        return
    if request.help:
        print(_magic.__doc__)
        return
    text = shell.transform_cell(cell)
    # A unique file name, by which IPython finds the lines for tracebacks.
    code = compile(text, shell.compile.cache(text, shell.execution_count),
                   "exec")
    with tempfile.TemporaryDirectory(
            dir="/tmp" if _ctprof.is_privileged else None) as directory:
        output = _output.Output(
            request.output or os.path.join(directory, "cell.ctp"))
        try:
            _session.begin(output.pattern(), request.min_us, request.last,
                           request.dump_signal)
        except RuntimeError as error:
            _session.say(f"nothing was run: {error}")
            return
        try:
            _record(shell, request, code)
        finally:
            _show(request, output)


def load(shell):
    def magic(line, cell):
        _magic(shell, line, cell)
    magic.__doc__ = _magic.__doc__  # for %%ctprof?
    shell.register_magic_function(magic, "cell", "ctprof")
