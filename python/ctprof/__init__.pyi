# SPDX-License-Identifier: MIT
# The types of the package; tests/python/test_package.py compares its names and
# parameters with those of the code.
import os
from collections.abc import Callable, Iterable, Sequence
from typing import (Any, Literal, ParamSpec, Self, TypeVar, final,
                    overload)

from ._recording import Recording
from .dynamo import DynamoProfilerState as DynamoProfilerState
from .profile import Profile as Profile, run as run, runctx as runctx

__all__ = ["DynamoProfilerState", "Profile", "cflags", "counter", "flush",
           "get_include", "instant", "libs", "load", "merge_summaries",
           "range", "record_function", "run", "runctx", "start", "step",
           "stop", "summarize", "trace"]

__version__: str

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Bytes = bytes | bytearray | memoryview
_Names = str | Sequence[str]
_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F")

def start(
    out: _Path | None = None, *, min_us: float = 0.0, last: int = 0,
    dump_signal: Literal[
        "USR2", "USR1", "HUP", "URG", "WINCH", "none"] | None = None,
    args: _Names = (), args_length: int = 100,
    calls: Literal["builtin", "all"] = "builtin", c_calls: bool = True,
    depth: int = 128, exclude: _Names = (), gc: bool = False,
    hook: Literal["auto", "monitoring", "setprofile"] = "auto",
    imports: bool = False, include: _Names = (), max_depth: int = 0,
    modules: bool = True, parameters: bool = False,
    tasks: bool = False) -> None: ...
def stop() -> None: ...
def flush() -> None: ...
def load(
    path: _Path, *, edge_times: Literal["all", "primitive"] = "primitive",
    trim_prefix: bool = False, document_edges: bool = False) -> Recording: ...
def summarize(
    paths: _Path | Iterable[_Path], *, shard: tuple[int, int] | None = None,
    call_paths: bool = False, jobs: int | None = None,
    names: Literal["full", "short", "mangled", "qualified"] = "full",
    device: Literal["separate", "host", "device"] = "separate",
    edge_times: Literal["all", "primitive"] = "primitive",
    join: Literal["auto", "external", "correlation"] = "auto",
    trim_prefix: bool = False, allow_repeats: bool = False) -> bytes: ...
def merge_summaries(
    first: _Bytes, *others: _Bytes, allow_repeats: bool = False) -> bytes: ...
def get_include() -> str: ...
def cflags() -> list[str]: ...
def libs() -> list[str]: ...
def instant(name: str) -> None: ...
def counter(name: str, value: float) -> None: ...
def step(requester: str = "step") -> int: ...
def load_ipython_extension(shell: Any) -> None: ...

@final
class range:
    def __new__(cls, name: str, /, **args: object) -> Self: ...
    @property
    def name(self) -> str: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: Callable[_P, _R], /) -> Callable[_P, _R]: ...

@overload
def trace(function: Callable[_P, _R], /, *,
          name: str | None = None) -> Callable[_P, _R]: ...
@overload
def trace(function: None = None, /, *, name: str | None = None
          ) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...

class record_function:
    name: str
    def __init__(self, name: str, args: str | None = None, *,
                 asynchronous: bool = False) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]: ...
    def end_with(self, future: _F) -> _F: ...
