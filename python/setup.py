# SPDX-License-Identifier: MIT
"""Builds the package for pip: with the sources, the program, the libraries and
the extensions, by stage.sh; without them, the tracer alone, linked with the
library that pkg-config finds.

The sources are around this directory, or in source/ of an sdist. For a wheel that
was built elsewhere, CTPROF_STAGE is the directory that stage.sh has filled,
CTPROF_SUFFIX the suffix of the extensions to take, and CTPROF_TAG the wheel's tag,
for example cp312-cp312-linux_aarch64. The rest is in pyproject.toml."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from glob import glob

from setuptools import Command, Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = Command  # the others, such as egg_info, need no wheel

HERE = os.path.dirname(os.path.abspath(__file__))
MAP = "extension.map"
FLAGS = ["-std=c17", "-fvisibility=hidden", "-fno-plt"]
# Texts of the sources that the metadata include.
LICENCES = ("COPYING", "packages/COPYING.libraries")


def find_sources():
    """The directory of the sources, or None."""
    for tree in (os.path.join(HERE, "source"), os.path.dirname(HERE)):
        if os.path.exists(os.path.join(tree, "lib", "ctprof.h")):
            return tree
    return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pkg_config(*arguments):
    """pkg-config's output for the installed library, or None."""
    try:
        return subprocess.run(
            ["pkg-config", *arguments, "ctprof"], check=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def find_version():
    """The sources' version, or without sources, the library's."""
    if TREE is None:
        return pkg_config("--modversion")
    return ".".join(re.findall(r"define CTP_VERSION_\w+ (\d+)",
                               read(os.path.join(TREE, "lib", "ctprof.h"))))


class Build(build_ext):
    def run(self):
        if TREE is None:
            super().run()
            return
        stage = os.environ.get("CTPROF_STAGE") or self.make()
        suffix = os.environ.get("CTPROF_SUFFIX",
                                sysconfig.get_config_var("EXT_SUFFIX"))
        package = os.path.join(self.build_lib, "ctprof")
        native = os.path.join(package, "_native")
        shutil.rmtree(native, ignore_errors=True)
        shutil.copytree(os.path.join(stage, "ctprof", "_native"), native)
        for name in ("_ctprof", "_convert"):
            shutil.copy(os.path.join(stage, "ctprof", name + suffix), package)
        self.distribution.data_files = manual_pages(stage)

    def make(self):
        """Runs stage.sh for this interpreter; returns its stage."""
        stage = os.path.abspath(os.path.join(self.build_temp, "stage"))
        jobs = f"-j{len(os.sched_getaffinity(0))}"
        command = ["sh", os.path.join(HERE, "stage.sh"),
                   os.path.join(self.build_temp, "make"), stage,
                   "--with-python=" + sys.executable]
        done = subprocess.run(command, check=False, env={
            "MAKEFLAGS": jobs, **os.environ, "CTPROF_SOURCE": TREE})
        if done.returncode != 0:
            sys.exit("ctprof: the sources cannot be built; see above. Debian "
                     "has the packages that they need: make gcc pkg-config "
                     "libmsgpack-dev zlib1g-dev libjansson-dev")
        return stage


class Wheel(bdist_wheel):
    def get_tag(self):
        tag = os.environ.get("CTPROF_TAG")
        return tuple(tag.split("-")) if tag else super().get_tag()


def manual_pages(stage):
    return [(f"share/man/{section}",
             sorted(glob(os.path.join(stage, "man", section, "*"))))
            for section in sorted(os.listdir(os.path.join(stage, "man")))]


def tracer():
    """The extension that the installed library is linked with."""
    return Extension(
        "ctprof._ctprof", sorted(glob("*.c")),
        depends=glob("*.h") + [MAP], define_macros=[("_GNU_SOURCE", None)],
        extra_compile_args=FLAGS + shlex.split(pkg_config("--cflags")),
        extra_link_args=["-Wl,--version-script=" + MAP,
                         *shlex.split(pkg_config("--libs")),
                         "-Wl,-rpath," + pkg_config("--variable=libdir")])


TREE = find_sources()
VERSION = find_version()
if VERSION is None:
    sys.exit("ctprof: libctprof is not installed (pkg-config does not find "
             "it), and its sources are not beside python/")
if TREE is None:
    arguments = {"ext_modules": [tracer()],
                 "long_description": "The tracer alone, for an installed "
                                     "ctprof: man ctprof-python."}
else:
    for path in LICENCES:
        shutil.copy(os.path.join(TREE, path), HERE)
    arguments = {
        # Makes the wheel one of this machine.
        "ext_modules": [Extension("ctprof._ctprof", [])],
        "long_description": read(os.path.join(TREE, "README.md")),
        "long_description_content_type": "text/markdown"}
setup(version=VERSION, cmdclass={"build_ext": Build, "bdist_wheel": Wheel},
      **arguments)
