# SPDX-License-Identifier: MIT
"""Builds the package for pip, which does not use make.

If pkg-config finds libctprof, the package is linked with it. Otherwise the
library's sources, which must be beside this directory, are compiled in. The
conversion of logs is always compiled in, or left out without the sources.
The rest is in pyproject.toml."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(TREE, "lib", "ctprof.h")
MAP = "extension.map"
CONVERT = "ctprof._convert"
FLAGS = ["-std=c17", "-fvisibility=hidden", "-fno-plt"]
# The headers of the library's sources, and Debian's name of that directory.
NEEDED = {"zlib.h": "zlib1g-dev", "msgpack.h": "libmsgpack-dev"}


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


def version():
    """The sources' version, or without sources, the library's."""
    if not os.path.exists(HEADER):
        return pkg_config("--modversion")
    return ".".join(re.findall(r"define CTP_VERSION_\w+ (\d+)",
                               read(HEADER)))


def makefile(path="Makefile.am"):
    """The lines of the makefile and of the fragments that it includes,
    continued lines joined. No condition holds: the files compiled in need only
    zlib."""
    if not os.path.exists(os.path.join(TREE, path)):
        return
    depth, chosen = 0, True
    for line in read(os.path.join(TREE, path)).replace("\\\n", " ").split("\n"):
        line = line.replace("%D%", os.path.dirname(path))
        word, _, rest = line.partition(" ")
        if word == "if":
            depth, chosen = depth + 1, False
        elif word == "else":
            chosen = True
        elif word == "endif":
            depth, chosen = depth - 1, True
        elif word == "include":
            yield from makefile(rest)
        elif not depth or chosen:
            yield line


def listed(variable):
    """The files that a variable of the makefile lists."""
    return [file for line in makefile()
            for file in line.split()[2:]
            if re.match(r"%s \+?= " % variable, line)]


def sources(*variables):
    """The C files that variables of the makefile list."""
    return [os.path.join(TREE, file) for variable in variables
            for file in listed(variable) if file.endswith(".c")]


def embedded(directory):
    """The C files made from texts in the sources, by the makefile's rules."""
    paths = []
    os.makedirs(directory, exist_ok=True)
    for target, texts, header in re.findall(
            r"^(\S+): formats/embed\.sh (.*)\n\t\$\(call embed,(\S+)\)$",
            "\n".join(makefile()), re.M):
        if target.startswith("bin/"):
            continue
        texts = re.sub(r"\$\((\w+)\)", lambda variable: " ".join(
            listed(variable[1])), texts)
        paths.append(os.path.join(directory, os.path.basename(target)))
        with open(paths[-1], "wb") as file:
            subprocess.run(
                ["sh", "formats/embed.sh", header] + texts.split(),
                check=True, stdout=file, cwd=TREE)
    return paths


class Build(build_ext):
    def build_extension(self, ext):
        if ext.name == CONVERT:
            self.compile_in(ext, "libbase_la_SOURCES", "libcore_la_SOURCES",
                            "libformats_la_SOURCES")
        else:
            self.link_recorder(ext)
        # An earlier build may be based on the other library.
        self.force = True
        super().build_extension(ext)

    def link_recorder(self, ext):
        installed = pkg_config("--exists", "--atleast-version=" + VERSION)
        if installed is not None:
            self.use_installed(ext)
        elif os.path.exists(HEADER):
            self.compile_in(ext, "libbase_la_SOURCES", "libpack_la_SOURCES",
                            "librecorder_la_SOURCES")
        else:
            sys.exit("ctprof: libctprof %s is not installed (pkg-config "
                     "does not find it), and its sources are not beside "
                     "python/" % VERSION)

    def use_installed(self, ext):
        ext.extra_compile_args += shlex.split(pkg_config("--cflags"))
        ext.extra_link_args += shlex.split(pkg_config("--libs"))
        ext.extra_link_args.append(
            "-Wl,-rpath," + pkg_config("--variable=libdir"))

    def compile_in(self, ext, *variables):
        missing = [header for header in NEEDED if not self.has(header)]
        if missing:
            sys.exit("ctprof: %s cannot be built without %s; Debian has them "
                     "in %s" % (
                         ext.name, ", ".join(missing),
                         ", ".join(NEEDED[header] for header in missing)))
        ext.include_dirs += [os.path.join(TREE, "lib"),
                             os.path.join(TREE, "formats")]
        files = sources(*variables)
        if "libformats_la_SOURCES" in variables:
            files += embedded(self.build_temp)
        ext.extra_objects += self.compiler.compile(
            files, output_dir=self.build_temp, debug=self.debug,
            include_dirs=ext.include_dirs,
            macros=[("_GNU_SOURCE", None),
                    ("PACKAGE_STRING", '"ctprof %s"' % VERSION)],
            extra_postargs=FLAGS)
        ext.libraries += ["z", "pthread"]

    def has(self, header):
        with tempfile.TemporaryDirectory() as directory:
            source = os.path.join(directory, "has.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <%s>\n" % header)
            try:
                self.compiler.compile([source], output_dir=directory)
            except CompileError:
                return False
            return True


VERSION = version()
if VERSION is None:
    sys.exit("ctprof: libctprof is not installed (pkg-config does not find "
             "it), and its sources are not beside python/")


def extension(name, pattern):
    return Extension(
        name, sorted(glob(pattern + ".c")),
        depends=glob(pattern + ".h") + [MAP],
        define_macros=[("_GNU_SOURCE", None)], extra_compile_args=FLAGS,
        extra_link_args=["-Wl,--version-script=" + MAP])


extensions = [extension("ctprof._ctprof", "*")]
if os.path.exists(HEADER):
    extensions.append(extension(CONVERT, "convert/*"))
setup(
    version=VERSION,
    ext_modules=extensions,
    cmdclass={"build_ext": Build},
)
