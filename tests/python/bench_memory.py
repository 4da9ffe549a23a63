# SPDX-License-Identifier: MIT
"""Measures the memory of a program that generates code, runs it once and drops
it, alone and under profilers. Nothing is asserted. Run in the build directory;
doc/BENCHMARKS.md explains the table.

usage: bench_memory.py PYTHON...
environment: BENCH_SOURCES      sources per run (120000)
"""
import os
import subprocess
import sys
import tempfile

SOURCES = int(os.environ.get("BENCH_SOURCES", "120000"))
# Two code objects each: a module and a function.
SOURCE = "def {name}(x):\n    return x + 1\n{name}(1)\n"
# The names of a source's function and file. Where names repeat, the log has a
# few sites; where all are new, it has them all.
NAMES = {
    "equal names": lambda n: ("function", "<generated>"),
    "new functions": lambda n: (f"function_{n}", "<generated>"),
    "new files": lambda n: (f"function_{n}", f"/tmp/generated/{n}.py"),
}
MODES = ("none", "ctprof", "ctprof setprofile", "cProfile")


def generate(names):
    for n in range(SOURCES):
        name, file = names(n)
        exec(compile(SOURCE.format(name=name), file, "exec"), {})


def run(names, mode, log):
    """In a process of its own: prints the peak of its memory in KiB."""
    names = NAMES[names]
    if mode == "cProfile":
        import cProfile
        profile = cProfile.Profile()
        profile.enable()
        generate(names)
        profile.disable()
    elif mode == "none":
        generate(names)
    else:
        from ctprof import _ctprof
        _ctprof.record_start(log)
        _ctprof.trace_start(hook=mode.partition(" ")[2] or "auto")
        generate(names)
        _ctprof.trace_stop()
        _ctprof.record_stop()
    with open("/proc/self/status", encoding="ascii") as status:
        lines = dict(line.split(":", 1) for line in status)
    print(lines["VmHWM"].split()[0])


def measure(python, names, mode, directory):
    """The peak in MiB; None, after printing the reason, if it failed."""
    environment = dict(os.environ, PYTHONHASHSEED="0",
                       PYTHONPATH=os.path.abspath("python/package"),
                       LD_LIBRARY_PATH=os.path.abspath(".libs"))
    done = subprocess.run(
        [python, "-B", __file__, "--run", names, mode,
         os.path.join(directory, "run.ctp")], text=True, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print(f"bench: {python}: no {mode}: "
              f"{(done.stderr.splitlines() or ['no reason given'])[-1]}",
              file=sys.stderr)
        return None
    return int(done.stdout) / 1024


def modes_of(python):
    """Before 3.12, setprofile is the only hook."""
    old = subprocess.run([python, "-c", "import sys\n"
                          "sys.exit(sys.version_info < (3, 12))"],
                         check=False).returncode
    return [mode for mode in MODES if not old or " " not in mode]


def main(pythons):
    print(f"Peak memory in MiB: {SOURCES} sources of two code objects each, "
          "run once and dropped\n")
    print("| Python | names | " + " | ".join(MODES) + " |")
    print("| --- " * (2 + len(MODES)) + "|")
    with tempfile.TemporaryDirectory() as directory:
        for python in pythons:
            version = subprocess.run(
                [python, "-c",
                 "import platform\nprint(platform.python_version())"],
                text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
            for names in NAMES:
                peaks = {mode: measure(python, names, mode, directory)
                         for mode in modes_of(python)}
                cells = (f"{peaks[mode]:.1f}" if peaks.get(mode) else ""
                         for mode in MODES)
                print(f"| {version} | {names} | " + " | ".join(cells) + " |",
                      flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main(sys.argv[1:])
