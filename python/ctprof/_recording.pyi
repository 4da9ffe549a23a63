# SPDX-License-Identifier: MIT
import pstats
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

class Event(NamedTuple):
    kind: str
    number: int
    parent: int | None
    cause: int | None
    depth: int
    start_ns: int
    duration_ns: int | None
    self_ns: int | None
    pid: int | None
    tid: int | None
    process: str | None
    thread: str | None
    device: int | None
    stream: int | None
    name: str | None
    category: str | None
    file: str | None
    line: int | None
    id: int | None
    bytes: int | None
    value: float | None
    args: dict[str, Any] | None

class Function(NamedTuple):
    name: str
    file: str
    line: int
    ncalls: int
    pcalls: int
    tottime_ns: int
    cumtime_ns: int
    self_device_ns: int
    device_ns: int

class Edge(NamedTuple):
    caller: str
    caller_file: str
    caller_line: int
    callee: str
    callee_file: str
    callee_line: int
    ncalls: int
    pcalls: int
    tottime_ns: int
    cumtime_ns: int

_Row = TypeVar("_Row", covariant=True)

class Rows(Generic[_Row]):
    def __iter__(self) -> Iterator[_Row]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    # The types of pandas and pyarrow, which need not be installed.
    def to_pandas(self, columns: Sequence[str] | None = None) -> Any: ...
    def to_arrow(self, columns: Sequence[str] | None = None) -> Any: ...

class Recording(pstats.Stats):
    files: list[str]
    def events(self) -> Rows[Event]: ...
    def functions(self) -> Rows[Function]: ...
    def edges(self) -> Rows[Edge]: ...
    def table(self, report: str, *options: str) -> Iterator[dict[str, Any]]: ...
