# SPDX-License-Identifier: MIT
"""A file that ctprof reads: its profile as pstats.Stats, and its events,
functions and edges as iterators, or as tables of pandas and pyarrow."""
import array
import collections
import json
import os
import pstats
import warnings

# The rows of a table that is being made are collected in parts.
_PART = 65536

# Kinds of columns: numbers without a sign, with one, any number, text, and the
# arguments of an event, a dict.
_UINT, _INT, _NUMBER, _TEXT, _DICT = "uint", "int", "number", "text", "dict"

_EVENT_COLUMNS = {
    "kind": _TEXT, "number": _UINT, "parent": _UINT, "cause": _UINT,
    "depth": _UINT, "start_ns": _INT, "duration_ns": _UINT, "self_ns": _UINT,
    "pid": _INT, "tid": _INT, "process": _TEXT, "thread": _TEXT,
    "device": _INT, "stream": _INT, "name": _TEXT, "category": _TEXT,
    "file": _TEXT, "line": _UINT, "id": _UINT, "bytes": _UINT,
    "value": _NUMBER, "args": _DICT}
_COST_COLUMNS = {"ncalls": _UINT, "pcalls": _UINT, "tottime_ns": _UINT,
                 "cumtime_ns": _UINT}
_FUNCTION_COLUMNS = {"name": _TEXT, "file": _TEXT, "line": _UINT,
                     **_COST_COLUMNS, "self_device_ns": _UINT,
                     "device_ns": _UINT}
_EDGE_COLUMNS = {"caller": _TEXT, "caller_file": _TEXT, "caller_line": _UINT,
                 "callee": _TEXT, "callee_file": _TEXT, "callee_line": _UINT,
                 **_COST_COLUMNS}

Event = collections.namedtuple("Event", _EVENT_COLUMNS)
Function = collections.namedtuple("Function", _FUNCTION_COLUMNS)
Edge = collections.namedtuple("Edge", _EDGE_COLUMNS)


def _warn(name, losses, level):
    for words, count in losses.items():
        warnings.warn(f"{name}: {count} {words}", RuntimeWarning,
                      stacklevel=level + 1)


class Rows:
    """A table: an iterable of named tuples, which reads anew each time."""

    def __init__(self, row, columns, read):
        self._row = row
        self._columns = columns
        self._read = read

    def __iter__(self):
        return self._read()

    @property
    def columns(self):
        """The names of the columns."""
        return tuple(self._columns)

    def _choose(self, columns):
        """The numbers of the columns, by their names; all by default."""
        if columns is None:
            columns = self._columns
        unknown = [name for name in columns if name not in self._columns]
        if unknown:
            raise ValueError(f"no column {unknown[0]!r}; the columns are "
                             f"{', '.join(self._columns)}")
        return {name: self._row._fields.index(name) for name in columns}

    def _parts(self):
        part = []
        for row in self:
            part.append(row)
            if len(part) == _PART:
                yield part
                part = []
        yield part

    def to_arrow(self, columns=None):
        """A pyarrow.Table of these columns; args are JSON."""
        import pyarrow

        types = {_UINT: pyarrow.uint64(), _INT: pyarrow.int64(),
                 _NUMBER: pyarrow.float64(), _TEXT: pyarrow.string(),
                 _DICT: pyarrow.string()}
        places = self._choose(columns)
        schema = pyarrow.schema([(name, types[self._columns[name]])
                                 for name in places])

        def make(part, name):
            values = [row[places[name]] for row in part]
            kind = self._columns[name]
            if kind == _DICT:
                values = [None if value is None else json.dumps(value)
                          for value in values]
            elif kind == _NUMBER:
                values = [None if value is None else float(value)
                          for value in values]
            return pyarrow.array(values, type=types[kind])
        return pyarrow.Table.from_batches(
            [pyarrow.record_batch([make(part, name) for name in places],
                                  schema=schema) for part in self._parts()],
            schema=schema)

    def to_pandas(self, columns=None):
        """A pandas.DataFrame of these columns. Numbers that may be missing are
        of pandas's nullable types, repeated texts are categories."""
        import pandas

        places = self._choose(columns)
        made = {name: self._collector(name) for name in places}
        for part in self._parts():
            for name, place in places.items():
                made[name].add([row[place] for row in part])
        return pandas.DataFrame({name: collector.make(pandas)
                                 for name, collector in made.items()})

    def _collector(self, name):
        kind = self._columns[name]
        if kind == _TEXT:
            return _Texts()
        return _Objects() if kind == _DICT else _Numbers(kind)


class _Texts:
    """A column of texts: each text once, and numbers."""

    def __init__(self):
        self._codes = array.array("i")
        self._known = {None: -1}

    def add(self, values):
        known = self._known
        for value in values:
            if value not in known:
                known[value] = len(known) - 1
        self._codes.extend([known[value] for value in values])

    def make(self, pandas):
        texts = [text for text in self._known if text is not None]
        return pandas.Categorical.from_codes(
            self._codes, pandas.Index(texts, dtype=object))


class _Numbers:
    """A column of numbers, which remembers those that are missing."""

    _TYPES = {_UINT: ("Q", "UInt64"), _INT: ("q", "Int64"),
              _NUMBER: ("d", "Float64")}

    def __init__(self, kind):
        code, self._type = self._TYPES[kind]
        self._values = array.array(code)
        self._missing = bytearray()

    def add(self, values):
        self._values.extend([0 if value is None else value
                             for value in values])
        self._missing.extend([value is None for value in values])

    def make(self, pandas):
        import numpy
        values = numpy.frombuffer(self._values, self._type.lower()) \
            if self._values else numpy.empty(0, self._type.lower())
        if not any(self._missing):
            return values
        column = pandas.array(values, dtype=self._type)
        column[numpy.frombuffer(self._missing, "bool")] = pandas.NA
        return column


class _Objects:
    """A column of other objects."""

    def __init__(self):
        self._values = []

    def add(self, values):
        self._values.extend(values)

    def make(self, pandas):
        return pandas.Series(self._values, dtype=object)


class Recording(pstats.Stats):
    """The profile in a file, and methods that read the file again."""

    def __init__(self, path, entries, options, source=None, joined=None):
        super().__init__(stream=None)
        self.stats = entries
        self.get_top_level_stats()
        self.files = [os.fsdecode(path)]
        self._path = source or path
        self._joined = joined  # a temporary directory, removed with this
        self._options = options

    def create_stats(self):
        """Lets pstats.Stats take this as it takes a profiler."""

    def events(self):
        """The events, as Rows; a range comes when it ends. Iterating needs
        memory for names and open ranges only."""
        return Rows(Event, _EVENT_COLUMNS, self._read_events)

    def functions(self):
        """The functions with their costs, as Rows."""
        return Rows(Function, _FUNCTION_COLUMNS, self._read_functions)

    def edges(self):
        """The calls between functions with their costs, as Rows."""
        return Rows(Edge, _EDGE_COLUMNS, self._read_edges)

    def _read_events(self):
        from ._convert import events
        rows = events(self._path, trim_prefix=self._options["trim_prefix"])
        make = Event._make
        for row in rows:
            if row[-1] is not None:
                row = (*row[:-1], json.loads(row[-1]))
            yield make(row)
        _warn(self.files[0], rows.losses(), 2)

    def _read_profile(self):
        from ._convert import profile
        return profile(self._path, **self._options)

    def _read_functions(self):
        functions, _, losses = self._read_profile()
        yield from map(Function._make, functions)
        _warn(self.files[0], losses, 2)

    def _read_edges(self):
        functions, edges, losses = self._read_profile()
        for caller, callee, *cost in edges:
            yield Edge(*functions[caller][:3], *functions[callee][:3], *cost)
        _warn(self.files[0], losses, 2)

    def table(self, report, *options):
        """The rows of a report, `ctprof REPORT --json`, an iterator of dicts.
        Raises RuntimeError with the program's message if it fails."""
        from . import _program
        said = _program.run(report, "--json", *options, "--",
                            os.fsdecode(self._path))
        return iter(json.loads(said)["rows"])


def _is_timeline(path):
    """Whether the file has events; if not, a warning gives the reason."""
    from ._convert import events
    try:
        events(path)
    except ValueError as error:
        warnings.warn(f"left out: {error}", RuntimeWarning, stacklevel=5)
        return False
    return True


def _join(directory, joined):
    """Makes one log, in the directory `joined`, of all timelines below another
    directory; returns its path."""
    from . import _program
    paths = sorted(os.path.join(above, name)
                   for above, _, names in os.walk(directory)
                   for name in names)
    paths = [path for path in paths if _is_timeline(path)]
    if not paths:
        raise ValueError(f"{directory}: no timeline is below this directory")
    listed = os.path.join(joined, "names")
    with open(listed, "wb") as file:
        file.writelines(os.fsencode(path) + b"\0" for path in paths)
    log = os.path.join(joined, "all.ctp")
    _program.run("merge", "--quiet", "-o", log, f"--files0-from={listed}")
    return log


def read(path, options):
    """A Recording, with warnings about missing parts."""
    from . import _stats
    source = joined = None
    if os.path.isdir(path):
        import tempfile
        joined = tempfile.TemporaryDirectory(prefix="ctprof.")
        source = _join(os.fsdecode(path), joined.name)
    entries, losses = _stats.read(source or path, **options)
    _warn(os.fsdecode(path), losses, 3)
    return Recording(path, entries, options, source, joined)
