# SPDX-License-Identifier: MIT
"""Answers the build's questions about this interpreter. python3-config may
belong to another one; in a virtual environment it does.

usage: build_facts.py COMMAND

    check              can extensions be built for it? Prints its path, the
                       suffix of its extensions, and its identity; or why not
    suffix             the suffix of its extensions
    cflags             the options to find its headers
    directory PREFIX   the directory below PREFIX for its packages
    looks DIRECTORY    exits with 0 if it looks for packages there
"""
import os
import site
import sys
import sysconfig

OLDEST, NEWEST = (3, 11), (3, 14)


def unsuitable():
    version = "%d.%d" % sys.version_info[:2]
    if sys.version_info[0] < 3 or sys.implementation.name != "cpython":
        return "it is not CPython"
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return "it is %s, not 3.11 to 3.14" % version
    if not os.path.exists(os.path.join(sysconfig.get_path("include"),
                                       "Python.h")):
        return "it has no Python.h: its -dev package is not installed"
    if len((sys.executable + sysconfig.get_path("include")).split()) != 1:
        return "its path has spaces"
    return None


def check():
    reason = unsuitable()
    if reason:
        sys.exit(reason)
    # A virtual environment counts as another interpreter: it has its own
    # packages.
    print("%s %s %s:%s" % (
        sys.executable, sysconfig.get_config_var("EXT_SUFFIX"),
        os.path.realpath(sys.executable), sys.prefix))


def cflags():
    paths = [sysconfig.get_path(name) for name in ("include", "platinclude")]
    print(" ".join("-isystem " + path for path in sorted(set(paths))))


def directory(prefix):
    """Its own directory if that is meant: Debian's interpreters look for
    packages below the default prefix in dist-packages, not in site-packages."""
    own = sysconfig.get_path("platlib")
    if prefix == "/usr/local":
        return own
    for path in [own] + site.getsitepackages():
        if path.startswith(os.path.join(prefix, "lib")):
            return path
    return sysconfig.get_path("platlib", "posix_prefix",
                              {"base": prefix, "platbase": prefix})


def looks(path):
    return path in [sysconfig.get_path("platlib")] + site.getsitepackages() \
        + sys.path


def main(command, *arguments):
    if command == "check":
        check()
    elif command == "suffix":
        print(sysconfig.get_config_var("EXT_SUFFIX"))
    elif command == "cflags":
        cflags()
    elif command == "directory":
        print(directory(*arguments))
    elif command == "looks":
        sys.exit(not looks(*arguments))
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
