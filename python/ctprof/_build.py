# SPDX-License-Identifier: MIT
"""The compiler's flags for C programs that use libctprof."""
import os
import sysconfig

from . import _program

_HEADER = os.path.join("include", "ctprof.h")


def _find_prefix():
    """The directory above include/, of a wheel or of the installed program."""
    wheel = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native")
    if os.path.isfile(os.path.join(wheel, _HEADER)):
        return wheel
    prefix = os.path.dirname(os.path.dirname(
        os.path.realpath(_program.find())))
    if os.path.isfile(os.path.join(prefix, _HEADER)):
        return prefix
    raise RuntimeError(f"ctprof.h is not found in {prefix}/include; ask "
                       "pkg-config --cflags ctprof")


def _find_library():
    prefix = _find_prefix()
    for name in ("lib", os.path.join("lib", sysconfig.get_config_var(
            "MULTIARCH") or ""), "lib64"):
        directory = os.path.join(prefix, name)
        if os.path.exists(os.path.join(directory, "libctprof.so")):
            return directory
    raise RuntimeError(f"libctprof.so is not found below {prefix}")


def get_include():
    """The directory of ctprof.h."""
    return os.path.join(_find_prefix(), "include")


def cflags():
    """The compiler's flags, as a list of words."""
    return ["-I" + get_include()]


def libs():
    """The linker's flags, as a list of words. The program finds the library
    where it is now."""
    directory = _find_library()
    return ["-L" + directory, "-Wl,-rpath," + directory, "-lctprof"]
