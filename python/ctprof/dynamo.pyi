# SPDX-License-Identifier: MIT
import os
import pstats
from dataclasses import dataclass
from typing import Literal, Self, final

from . import profile

__all__ = ["DynamoProfilerState", "FunctionTraceTiming", "Profile",
           "ProfilerStackEntry", "install"]

_Path = str | os.PathLike[str]
_Function = tuple[str, str, int]  # name, file, line
_Key = tuple[str, int, str]  # of pstats: file, line, name

def install(suffix: str = "") -> None: ...

@dataclass(repr=False)
class FunctionTraceTiming:
    func_name: str
    filename: str
    firstlineno: int
    cumtime_ns: int
    tottime_ns: int
    bytecode_count: int
    inline_depth: int
    caller_func_name: str | None = None
    caller_filename: str | None = None
    caller_firstlineno: int | None = None
    is_primitive_call: bool = True
    call_stack: tuple[_Function, ...] = ()
    @property
    def trace_time_ns(self) -> int: ...
    @property
    def trace_time_ms(self) -> float: ...
    @property
    def cumtime_ms(self) -> float: ...
    @property
    def tottime_ms(self) -> float: ...
    @property
    def func_key(self) -> _Key: ...
    @property
    def caller_key(self) -> _Key | None: ...

@final
class ProfilerStackEntry:
    def __new__(cls, func_name: str, filename: str, firstlineno: int,
                start_time_ns: int, child_time_ns: int,
                is_primitive_call: bool = True) -> Self: ...
    @property
    def func_name(self) -> str: ...
    @property
    def filename(self) -> str: ...
    @property
    def firstlineno(self) -> int: ...
    start_time_ns: int
    child_time_ns: int
    is_primitive_call: bool

class DynamoProfilerState:
    timings: list[FunctionTraceTiming]
    def __init__(self) -> None: ...
    @property
    def stack(self) -> list[ProfilerStackEntry]: ...
    def push(self, func_name: str, filename: str, firstlineno: int,
             start_time_ns: int | None = None) -> bool: ...
    def pop(self, end_time_ns: int | None = None
            ) -> ProfilerStackEntry | None: ...
    def add_child_time(self, child_cumtime_ns: int, /) -> None: ...
    def get_current_caller(self) -> _Function | None: ...
    def get_call_stack(self) -> tuple[_Function, ...]: ...
    def record_timing(self, timing: FunctionTraceTiming) -> None: ...
    def get_timings(self) -> list[FunctionTraceTiming]: ...
    def generate_pstats(
        self, output_file: _Path | None = None, print_raw: bool = False, *,
        style: Literal["dynamo", "cprofile"] = "dynamo") -> pstats.Stats: ...
    def generate_svg(self, profile_file: _Path, svg_file: _Path | None = None
                     ) -> _Path | None: ...
    def dump_stats(self, output_file: _Path | None = None,
                   generate_svg: bool = True) -> None: ...

class Profile(profile.Profile): ...
