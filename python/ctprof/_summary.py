# SPDX-License-Identifier: MIT
"""Summaries (.ctpart), which the program ctprof makes and merges, as bytes."""
import os
import warnings

# Exit statuses of the program. With 3, an output lacks some of the inputs.
_SOME_LOST = 3
_ERRORS = {2: ValueError, 3: ValueError, 4: ValueError, 5: OSError,
           6: MemoryError}


def _option(name, value):
    """One option of the program, as a list of words."""
    if value is None or value is False:
        return []
    return [f"--{name}" if value is True else f"--{name}={value}"]


def _list(paths):
    """The names of files as the program reads them from standard input."""
    names = []
    for path in paths:
        name = os.fsencode(path)
        if not name or b"\0" in name:
            raise ValueError(f"{path!r} is not the name of a file")
        # Alone, it stands for standard input.
        names.append(b"./-\0" if name == b"-" else name + b"\0")
    return b"".join(names)


def _fail(done, words):
    """Raises the error that an exit status stands for."""
    error = _ERRORS.get(done.returncode, RuntimeError)
    raise error(words or f"ctprof ended with status {done.returncode}")


def _without_inputs(options):
    """Empty sums. The program writes them for an empty part of a directory; a
    command without inputs would be a mistake."""
    import tempfile
    from . import _program
    with tempfile.TemporaryDirectory(prefix="ctprof.") as directory:
        done, words = _program.attempt(
            ["summarize", *options, "--shard=1/2", "--", directory])
    if done.returncode != 0:
        _fail(done, words)
    return done.stdout


def summarize(paths, *, shard=None, call_paths=False, jobs=None, names="full",
              device="separate", edge_times="primitive", join="auto",
              trim_prefix=False, allow_repeats=False):
    """The sums of recordings and profiles: the bytes of a summary (.ctpart),
    equal to those that `ctprof summarize` writes.

    `paths` is a file or a directory, which stands for the traces below it, or
    an iterable of these. Without any, the sums are empty: merged with others,
    they change nothing.

    `shard=(i, n)` reads only the part `i`, from 0, of `n` parts of the inputs.
    `call_paths` also sums call paths, for flame graphs. `jobs` is the number of
    inputs to read at a time; by default 1, or for directories one per
    processor. The other options are those of the program. All times in a
    summary are integer nanoseconds.

    An input that cannot be read is left out and listed in the summary; a
    RuntimeWarning has the program's messages, also about damaged inputs. Raises
    ValueError if inputs do not go together, such as a file twice, or if an
    option is wrong; MemoryError if the program has too little memory;
    RuntimeError if the program is not found. The interpreter's lock is not held
    while the program runs.
    """
    from . import _program
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    listed = _list(paths)
    options = [*_option("paths", call_paths), *_option("names", names),
               *_option("device", device), *_option("edge-times", edge_times),
               *_option("join", join), *_option("trim-prefix", trim_prefix),
               *_option("allow-repeats", allow_repeats)]
    if not listed:
        return _without_inputs(options)
    if shard is not None:
        index, count = shard
        options += _option("shard", f"{index}/{count}")
    done, words = _program.attempt(
        ["summarize", *options, *_option("jobs", jobs), "--files0-from=-"],
        listed)
    if done.returncode not in (0, _SOME_LOST) or not done.stdout:
        _fail(done, words)
    if words:
        warnings.warn(words, RuntimeWarning, stacklevel=2)
    return done.stdout


def merge_summaries(first, *others, allow_repeats=False):
    """The sum of summaries, each the bytes of a .ctpart file, as bytes.

    Neither the order nor the grouping of summaries changes a byte of the
    result, so any tree of calls gives the same: functools.reduce(), the fold of
    a Dask bag, tasks of Ray. One call with many summaries costs less than a
    call for each.

    Raises ValueError if the bytes are not a summary, if an input or a rank is
    in two of them, unless `allow_repeats`, or if they were made with different
    options or versions of ctprof. Raises MemoryError, OSError or RuntimeError
    if the program has too little memory, cannot write or is not found. The
    interpreter's lock is not held while the program runs.
    """
    import tempfile
    from . import _program
    with tempfile.TemporaryDirectory(prefix="ctprof.") as directory:
        names = []
        for number, summary in enumerate((first, *others), 1):
            # Messages of the program contain this name.
            names.append(f"summary {number}")
            with open(os.path.join(directory, names[-1]), "wb") as file:
                file.write(summary)
        done, words = _program.attempt(
            ["merge", "--quiet", "--to=ctpart", "--from=ctpart",
             *_option("allow-repeats", allow_repeats), "--files0-from=-"],
            _list(names), cwd=directory)
    # A sum without one of the summaries would be wrong.
    if done.returncode != 0:
        _fail(done, words)
    return done.stdout
