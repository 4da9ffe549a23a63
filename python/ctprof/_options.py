# SPDX-License-Identifier: MIT
"""The options of `python3 -m ctprof`, and those that `ctprof record --python`
passes to every interpreter.

Parsed by hand: argparse would be among the modules of each traced program, and
add to the start of each process.
"""
import sys

USAGE = """\
Usage: {python} -m ctprof [OPTION...] SCRIPT [ARGUMENT...]
       {python} -m ctprof [OPTION...] -m MODULE [ARGUMENT...]
       {python} -m ctprof [OPTION...] -c CODE [ARGUMENT...]
       {python} -m ctprof [OPTION...] --pid=PID
       {python} -m ctprof COMMAND [ARGUMENT...]
Run a Python program and record every call. Exits as the program does.
With --pid, record a program that runs already. The last form runs a command of
ctprof: `{python} -m ctprof stats run.ctp`.

 Output:
  -o, --output=FILE          write the log to this file (default: run.ctp), or
                             a profile or trace: .pstats, .prof, .json and the
                             other suffixes of `ctprof formats`
      --separate             do not join the logs of child processes,
                             NAME.PID.ctp, to that of the program
      --force                overwrite a file that exists
  -s, --sort=KEY             print the profile when the program has ended, as
                             cProfile does (calls, cumulative, tottime, ...)
  -q, --quiet                print only errors

 Recording:
      --compile              record the functions that torch.compile traces,
                             instead of every call
      --python               with --compile: record every call, too
      --calls=builtin|all    calls into C to record: those that cProfile
                             records (the default), or also types, partials,
                             ufuncs and so on
      --no-c-calls           record Python functions only
      --min-us=TIME          leave out calls that are shorter, in
                             microseconds, and contain nothing
      --last=N               keep only the last events, at least this many, in
                             memory, and write them to the log at the end or
                             at the signal SIGUSR2
      --dump-signal=USR2|USR1|HUP|URG|WINCH|none
                             with --last: the signal that writes them
      --include=GLOB         record only functions of matching files or
                             modules; may be given again
      --exclude=GLOB         do not record functions of matching files or
                             modules; may be given again
      --depth=N              record this many of the frames that are open when
                             recording starts (default: 0; with --pid, 128)
      --max-depth=N          leave out calls that are nested deeper than this
      --args=GLOB            record the arguments and results of functions with
                             matching names, or FILE:GLOB, MODULE:GLOB; may be
                             given again. The log then has values of the
                             program, which may be secret
      --args-length=N        cut off their texts after this many characters
                             (default: 100)
      --gc                   record the garbage collector's work
      --imports              record imports
      --tasks                record asyncio's tasks
      --no-modules           do not distinguish instances of torch's modules
                             and optimizers
      --parameters           record parameters of torch's modules
      --hook=auto|monitoring|setprofile
                             how the interpreter reports calls
      --pid=PID              record this process of Python 3.14, which runs
                             already, until it ends or ctprof gets a signal
                             (Ctrl-C)
      --duration=TIME        with --pid: stop after this time (500ms, 10s)
      --wait=TIME            with --pid: give up if the process runs no Python
                             code for this long (default: 10s)

  -h, --help                 print this help
  -V, --version              print the version

Examples:
  {python} -m ctprof script.py argument
  {python} -m ctprof -o run.pstats -m package
  {python} -m ctprof -s tottime -c 'import json'
  {python} -m ctprof --compile train.py
  {python} -m ctprof --pid 4711 --duration 10s
"""


# The commands of the program ctprof; a script of such a name is ./NAME.
COMMANDS = ("record", "repair", "symbolize", "convert", "cut", "merge",
            "summarize", "annotate", "findings", "info", "stats", "gaps",
            "kernels", "diff", "phases", "ranks", "compilations", "check",
            "report", "view", "formats", "cflags", "completion", "help")


class UsageError(Exception):
    """The command line makes no sense."""


class Request:
    """The parsed command line."""

    def __init__(self):
        self.output = None
        self.force = False
        self.separate = False
        self.sort = None
        self.quiet = False
        self.help = False
        self.version = False
        self.min_us = 0.0
        self.last = 0
        self.dump_signal = None
        self.compile = False
        self.python = False
        self.pid = None
        self.duration = None
        self.wait = None
        self.trace = {}
        self.kind = None  # "script", "module" or "code"
        self.target = None
        self.args = []


def _one_of(words):
    def read(option, text):
        if text not in words.split("|"):
            raise UsageError(f"{option}: '{text}' is not one of {words}")
        return text
    return read


def _count(option, text):
    if not text.isdecimal():
        raise UsageError(f"{option}: '{text}' is not a count")
    return int(text)


def _last(option, text):
    count = _count(option, text)
    if not 0 < count < 1 << 32:
        raise UsageError(f"{option}: '{text}' is not a number of events")
    return count


def _length(option, text):
    count = _count(option, text)
    if not 0 < count <= 2000:
        raise UsageError(f"{option}: '{text}' is not a length from 1 to 2000")
    return count


def _time(option, text):
    try:
        time_us = float(text)
    except ValueError:
        time_us = -1.0
    if not 0.0 <= time_us < 1e12:
        raise UsageError(f"{option}: '{text}' is not a time in microseconds")
    return time_us


def _sort_key(option, text):
    import pstats
    if text not in pstats.Stats.sort_arg_dict_default:
        raise UsageError(f"{option}: '{text}' is not a sort key of pstats")
    return text


def _text(option, text):
    if not text:
        raise UsageError(f"{option}: the value is empty")
    return text


# Options with a value: the attribute or tracer option, and its parser.
_VALUES = {
    "--output": ("output", _text),
    "--sort": ("sort", _sort_key),
    "--min-us": ("min_us", _time),
    "--last": ("last", _last),
    "--dump-signal": ("dump_signal", _one_of("USR2|USR1|HUP|URG|WINCH|none")),
    "--calls": ("calls", _one_of("builtin|all")),
    "--hook": ("hook", _one_of("auto|monitoring|setprofile")),
    "--pid": ("pid", _count),
    "--duration": ("duration", _text),
    "--wait": ("wait", _text),
    "--depth": ("depth", _count),
    "--max-depth": ("max_depth", _count),
    "--args": ("args", _text),
    "--args-length": ("args_length", _length),
    "--include": ("include", _text),
    "--exclude": ("exclude", _text),
}
_FLAGS = {
    "--compile": ("compile", True),
    "--python": ("python", True),
    "--force": ("force", True),
    "--separate": ("separate", True),
    "--quiet": ("quiet", True),
    "--help": ("help", True),
    "--version": ("version", True),
    "--no-c-calls": ("c_calls", False),
    "--gc": ("gc", True),
    "--imports": ("imports", True),
    "--tasks": ("tasks", True),
    "--no-modules": ("modules", False),
    "--parameters": ("parameters", True),
}
_LETTERS = {
    "-o": "--output", "-s": "--sort", "-q": "--quiet", "-h": "--help",
    "-V": "--version",
}


def _set(request, key, value):
    if key in ("include", "exclude", "args"):
        request.trace[key] = request.trace.get(key, ()) + (value,)
    elif key in vars(request):
        setattr(request, key, value)
    else:
        request.trace[key] = value


def _take(request, words):
    """One option, and its value if that is a separate word."""
    word = words.pop(0)
    if word.startswith("--"):
        name, equals, value = word.partition("=")
    else:
        name = _LETTERS.get(word[:2], word[:2])
        equals, value = word[2:3], word[2:]
        if name in _FLAGS and value:
            words.insert(0, "-" + value)
            equals = value = ""
    if name in _FLAGS and not equals:
        _set(request, *_FLAGS[name])
        return
    if name not in _VALUES:
        raise UsageError(f"unknown option '{word}'")
    if not equals:
        if not words:
            raise UsageError(f"{name}: a value is missing")
        value = words.pop(0)
    key, read = _VALUES[name]
    _set(request, key, read(name, value))


def read_command(words):
    """The command line of `python3 -m ctprof`."""
    request = Request()
    words = list(words)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words[0]
        if word == "--":
            words.pop(0)
            break
        if word[:2] in ("-m", "-c") and not word.startswith("--"):
            words[:1] = [word[2:]] if word[2:] else []
            request.kind = "module" if word[1] == "m" else "code"
            break
        _take(request, words)
    if request.help or request.version:
        return request
    if request.pid is not None:
        if words or request.kind:
            raise UsageError("--pid and a program exclude each other")
        if request.sort:
            raise UsageError("--sort is not for --pid")
        return request
    for name in "duration", "wait":
        if getattr(request, name):
            raise UsageError(f"--{name} needs --pid")
    request.trace.setdefault("depth", 0)
    if not words:
        raise UsageError("no program to run" if request.kind is None else
                         f"-{request.kind[0]}: a value is missing")
    request.kind = request.kind or "script"
    request.target, *request.args = words
    return request


def write_words(request):
    """The options of the tracer, for read_words()."""
    words = ["--" + name for name in ("quiet", "compile", "python")
             if getattr(request, name)]
    for key, value in request.trace.items():
        name = key.replace("_", "-")
        if isinstance(value, bool):
            words.append(("--" if value else "--no-") + name)
        else:
            words += [f"--{name}={one}" for one in
                      (value if isinstance(value, tuple) else (value,))]
    return words


def read_words(words):
    """Options only: those of a magic's line, or those that `ctprof record
    --python` has put into CTPROF_PYTHON. There, "compile" is --compile."""
    request = Request()
    words = ["--compile" if word == "compile" else word for word in words]
    while words:
        _take(request, words)
    request.trace.setdefault("depth", 0)
    return request


def usage():
    return USAGE.format(python=sys.orig_argv[0].rpartition("/")[2])
