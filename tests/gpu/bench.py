# SPDX-License-Identifier: MIT
"""Finds the files that tests/gpu/run needs, runs them, and collects the
results. Anything that fails, hangs or takes too long becomes a row, and does
not stop the rest."""

import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import traceback

LIMIT_S = 150
# The time of a command begun just before the limit.
LEAST_S = 30
# The wait for a killed command's output, which others may hold open.
KILL_S = 5
HUNG = 124
NOT_FOUND = 127
TIME_UP = "the time was up"


def kill(process):
    """Kills it with all its children, which would go on using the GPU."""
    os.killpg(process.pid, signal.SIGKILL)
    try:
        process.communicate(timeout=KILL_S)
    except subprocess.TimeoutExpired:
        pass


def run_for(seconds, command, env=None):
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=env,
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, NOT_FOUND, "", str(error))
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        out, err = "", f"hung for {seconds:.0f} s"
        return subprocess.CompletedProcess(command, HUNG, out, err)
    except BaseException:
        kill(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def reason(done):
    """The reason why a program failed, in a few words."""
    lines = done.stderr.strip().splitlines() or ["nothing was said"]
    return f"exit {done.returncode}: {lines[-1][-60:]}"


class Bench:
    """The paths, and the results."""

    def __init__(self, options):
        self.build = pathlib.Path(options.build).resolve()
        self.python = options.python
        self.ctprof = self.build / "ctprof"
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ctprof-gpu."))
        self.directory = pathlib.Path(options.keep or self.scratch)
        self.unmeasured = []
        self.failed = 0
        self.cupti = options.cupti
        self.table = options.write
        self.until = time.monotonic() + options.seconds

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def is_over(self):
        return time.monotonic() > self.until

    def run(self, command, env=None):
        """Runs a command within the time limit. Compiler caches are shared with
        the next one, and removed with the rest."""
        caches = {
            name: str(self.scratch / name.lower())
            for name in (
                "CUDA_CACHE_PATH",
                "TORCHINDUCTOR_CACHE_DIR",
                "TRITON_CACHE_DIR",
            )
        }
        left = self.until - time.monotonic()
        return run_for(
            min(LIMIT_S, max(left, LEAST_S)),
            command,
            dict(self.libraries() if env is None else env, **caches),
        )

    def attempt(self, what, function, *arguments):
        """Runs a part if there is time. An unexpected error of our scripts is a
        failure of this part only."""
        if self.is_over():
            self.not_measured(what, TIME_UP)
            return
        try:
            function(self, *arguments)
        except Exception as error:
            traceback.print_exc()
            self.row(what, f"{type(error).__name__}: {error}"[:70], False)

    def info_of(self, log):
        done = self.run([str(self.ctprof), "info", "--json", str(log)])
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def facts_of(self, log):
        return self.info_of(log).get("facts", {})

    def why_empty(self, log):
        """Why the log has no activity of the GPU; None if it has some, or may
        have."""
        info = self.info_of(log)
        state = info.get("facts", {}).get("gpu.state", "the log says nothing")
        count = info.get("counts", {}).get("device", 0)
        return None if count > 0 or state == "recording" else state

    def program(self, name):
        """The real file, not libtool's script, which knows only where it was
        built."""
        place = self.build / "tests" / "gpu"
        real = place / ".libs" / name
        return str(real if real.exists() else place / name)

    def libraries(self, **more):
        """An environment with the build's libraries, and those of others beside
        them."""
        libraries = [str(self.build / ".libs")]
        if os.environ.get("LD_LIBRARY_PATH"):
            libraries.append(os.environ["LD_LIBRARY_PATH"])
        return dict(os.environ, LD_LIBRARY_PATH=":".join(libraries), **more)

    def environment(self, **more):
        """The environment of the programs in C."""
        env = self.libraries(**more)
        if self.cupti:
            env["CTPROF_CUPTI_LIB"] = self.cupti
        return env

    def begin_table(self, device):
        date = datetime.date.today().isoformat()
        self.add(f"\n## {date}, {device}\n\n| what | result |\n| --- | --- |")

    def add(self, text):
        if self.table:
            with open(self.table, "a", encoding="utf-8") as file:
                file.write(text + "\n")

    def not_measured(self, what, why):
        self.unmeasured.append((what, why))
        self.add(f"| {what} | not measured: {why} |")

    def row(self, what, result, good=None):
        mark = {None: "", True: "ok", False: "FAILED"}[good]
        self.add(f"| {what} | {result}{' **FAILED**' * (good is False)} |")
        self.failed += good is False
        print(f"{what:<44} {result:<40} {mark}", flush=True)

    def record(self, log, command, *options):
        return [
            str(self.ctprof),
            "record",
            "--force",
            "-q",
            "--separate",
            "-o",
            str(log),
            *options,
            "--",
            *command,
        ]
