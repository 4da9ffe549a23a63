# SPDX-License-Identifier: MIT
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

__all__ = ["Profile", "run", "runctx"]

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Sort = str | int | tuple[str | int, ...]
_P = ParamSpec("_P")
_R = TypeVar("_R")

class Code(NamedTuple):
    co_filename: str
    co_firstlineno: int
    co_name: str

class Subentry(NamedTuple):
    code: Code | str
    callcount: int
    reccallcount: int
    totaltime: float
    inlinetime: float

class Entry(NamedTuple):
    code: Code | str
    callcount: int
    reccallcount: int
    totaltime: float
    inlinetime: float
    calls: list[Subentry] | None

class Profile:
    subcalls: bool
    builtins: bool
    # The figures, in the form of a pstats file.
    stats: dict[tuple[str, int, str], tuple[Any, ...]]
    def __init__(self, timer: None = None, timeunit: float = 0.0,
                 subcalls: bool = True, builtins: bool = True) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def enable(self, subcalls: bool | None = None,
               builtins: bool | None = None) -> None: ...
    def disable(self) -> None: ...
    def clear(self) -> None: ...
    def create_stats(self) -> None: ...
    def snapshot_stats(self) -> None: ...
    def getstats(self) -> list[Entry]: ...
    def print_stats(self, sort: _Sort = -1) -> None: ...
    def dump_stats(self, file: _Path) -> None: ...
    def run(self, cmd: str) -> Self: ...
    def runctx(self, cmd: str, globals: dict[str, Any],
               locals: Mapping[str, Any]) -> Self: ...
    def runcall(self, func: Callable[_P, _R], /, *args: _P.args,
                **kw: _P.kwargs) -> _R: ...

def run(statement: str, filename: _Path | None = None,
        sort: _Sort = -1) -> None: ...
def runctx(statement: str, globals: dict[str, Any],
           locals: Mapping[str, Any], filename: _Path | None = None,
           sort: _Sort = -1) -> None: ...
