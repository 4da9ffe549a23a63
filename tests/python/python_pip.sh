#!/bin/sh
# SPDX-License-Identifier: MIT
# pip makes a wheel of python/. With the sources it has the program, the libraries
# and the header. Without them its extension is linked with the installed library.
# If both are missing, pip reports it. Needs no network, but an interpreter with
# setuptools and wheel.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need_loadable_library
python=
for candidate in $(sed -n 's/^CTP_PYTHONS = *//p' Makefile); do
	if "$candidate" -c 'import setuptools, wheel, ensurepip
assert int(setuptools.__version__.split(".")[0]) >= 61' 2>/dev/null; then
		python=$candidate
		break
	fi
done
[ -n "$python" ] || skip "no Python has setuptools, wheel and ensurepip"
unset PYTHONPATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
unset CPPFLAGS LDFLAGS
PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_DISABLE_PIP_VERSION_CHECK

# pip writes beside the sources, which may be read-only. The program is not built
# again: the stage is made of this build's files.
mkdir "$work/tree" "$work/tree/packages"
cp -R "$srcdir/python" "$srcdir/lib" "$srcdir/README.md" "$srcdir/COPYING" \
	"$work/tree" || exit 99
cp "$srcdir/packages/COPYING.libraries" "$work/tree/packages"
chmod -R u+w "$work/tree"
rm -rf "$work/tree/python/build" "$work/tree/python/package"
"$python" -m venv --system-site-packages "$work/venv" > "$work/out" 2>&1 || {
	cat "$work/out"
	fail "$python: cannot make a virtual environment"
}

# make_wheel NAME: builds a wheel of the package into the directory NAME.
make_wheel() {
	rm -rf "$work/tree/python/build"
	"$work/venv/bin/python" -m pip wheel --no-build-isolation --no-deps \
		--no-index -w "$work/$1" "$work/tree/python" > "$work/out" 2>&1
}

# try NAME: installs the wheel in NAME, records a program and reads the log.
try() {
	"$work/venv/bin/python" -m pip install --no-deps --no-index \
		--force-reinstall "$work/$1"/ctprof-*.whl > "$work/out" 2>&1 || {
		cat "$work/out"
		fail "$1: cannot be installed"
	}
	(cd "$work" && CTPROF_OUT=$1.ctp "$work/venv/bin/python" -c '
import ctprof
def work(n):
    with ctprof.range("work"):
        return n and work(n - 1)
work(40)') || fail "$1: does not record"
	# Converting needs the sources.
	[ "$1" != sources ] || "$work/venv/bin/python" -c '
import sys
import ctprof
[calls] = ctprof.load(sys.argv[1]).stats.values()
assert calls[1] == 41, calls' "$work/$1.ctp" || fail "$1: does not load a log"
	"$CTPROF" stats "$work/$1.ctp" | grep -qE '^ *41 +1 .* work' ||
		fail "$1: differs from the calls"
}

# needs NAME: the libraries that the extension in the wheel NAME is linked with.
needs() {
	"$python" -m zipfile -e "$work/$1"/ctprof-*.whl "$work/$1" &&
		readelf -d "$work/$1"/ctprof/_ctprof*.so | grep NEEDED
}

# --- with the sources -------------------------------------------------------

CTPROF_STAGE=$work/stage
export CTPROF_STAGE
native=$CTPROF_STAGE/ctprof/_native
mkdir -p "$native/bin" "$native/lib" "$native/include" "$CTPROF_STAGE/man/man1"
cp python/package/ctprof/*.so "$CTPROF_STAGE/ctprof"
"$build/libtool" --mode=install install "$build/ctprof" "$native/bin/ctprof" \
	> "$work/out" 2>&1 || fail "the program cannot be staged"
for name in ctprof ctprof-instrument ctprof-inject; do
	cp ".libs/lib$name.so.0" "$native/lib"
done
cp .libs/libctprof.so.0 "$native/lib/libctprof.so"
cp "$srcdir"/lib/ctprof*.h "$native/include"
cp doc/ctprof.1 "$CTPROF_STAGE/man/man1"
# A stage has $ORIGIN in its files; those of a build directory do not.
LD_LIBRARY_PATH=$native/lib
export LD_LIBRARY_PATH
make_wheel sources || {
	cat "$work/out"
	fail "does not build with the sources"
}
try sources
(cd "$work" && PATH=$work/venv/bin:$PATH && unset CTPROF &&
	ctprof record --python -o all.ctp -- python3 -c 'sum([1])' &&
	python3 -m ctprof stats all.ctp | grep -q sum &&
	ctp2pstats all.ctp -o all.pstats &&
	test -f venv/share/man/man1/ctprof.1 &&
	python3 -c '
import os, sys, ctprof
from ctprof import _program
inside = os.path.dirname(ctprof.__file__) + "/_native"
assert _program.find() == inside + "/bin/ctprof", _program.find()
assert ctprof.get_include() == inside + "/include", ctprof.get_include()
assert ctprof.cflags() == ["-I" + ctprof.get_include()], ctprof.cflags()
assert "-L" + inside + "/lib" in ctprof.libs(), ctprof.libs()
') > "$work/out" 2>&1 || {
	cat "$work/out"
	fail "sources: the program of the wheel"
}
# The converters' names are those of the program.
names=$(sed -n '1s/^#compdef ctprof //p' completion/_ctprof)
for name in $names; do
	[ -x "$work/venv/bin/$name" ] || fail "pyproject.toml has no $name"
done
for word in 'License' 'Project-URL' 'Classifier: Typing' '# ctprof'; do
	"$python" -m zipfile -e "$work"/sources/ctprof-*.whl "$work/meta" &&
		grep -q "$word" "$work"/meta/*.dist-info/METADATA ||
		fail "the metadata have no $word"
done
unset CTPROF_STAGE LD_LIBRARY_PATH

# --- without them, and without the library ----------------------------------

mv "$work/tree/lib" "$work/not"
PKG_CONFIG_LIBDIR=$work/nothing
export PKG_CONFIG_LIBDIR
if make_wheel neither; then
	fail "builds of nothing"
fi
grep -q 'libctprof .*is not installed' "$work/out" || {
	cat "$work/out"
	fail "does not report the missing library"
}

# --- with the library -------------------------------------------------------

copy_installation "$work/root"
pc=$(find "$work/root" -name ctprof.pc)
unset PKG_CONFIG_LIBDIR
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# The file names its place after installation; it is not there yet.
sed "s|^prefix=|&$work/root|" "$pc" > "$pc.here" && mv "$pc.here" "$pc"
make_wheel library || {
	cat "$work/out"
	fail "does not build with the library"
}
try library
case $(needs library) in
*libpython*) fail "library: $(needs library)" ;;
*libctprof*) ;;
*) fail "library: $(needs library)" ;;
esac
