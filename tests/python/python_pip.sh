#!/bin/sh
# SPDX-License-Identifier: MIT
# pip makes a wheel of python/, with the installed library and with the
# library's sources compiled in, and reports what is missing if neither is
# possible. Needs no network, but an interpreter with setuptools and wheel.
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
# All of the sources are compiled twice, one file after the other.
CFLAGS=-O0
PIP_DISABLE_PIP_VERSION_CHECK=1
export CFLAGS PIP_DISABLE_PIP_VERSION_CHECK

# pip builds beside the sources, which may be read-only.
mkdir "$work/tree"
cp -R "$srcdir/python" "$srcdir/lib" "$srcdir/formats" "$srcdir/Makefile.am" \
	"$work/tree" || exit 99
chmod -R u+w "$work/tree"
rm -rf "$work/tree/python/build" "$work/tree/python/package"
"$python" -m venv --system-site-packages "$work/venv" > "$work/out" 2>&1 || {
	cat "$work/out"
	fail "$python: cannot make a virtual environment"
}

# make_wheel NAME: builds a wheel of the package into the directory NAME.
make_wheel() {
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
	"$work/venv/bin/python" -c '
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

# --- with the library's sources ---------------------------------------------

PKG_CONFIG_LIBDIR=$work/nothing
export PKG_CONFIG_LIBDIR
make_wheel sources || {
	cat "$work/out"
	fail "does not build with the sources of the library"
}
try sources
case $(needs sources) in
*libctprof* | *libpython*) fail "sources: $(needs sources)" ;;
esac

# --- without them, and without the library ----------------------------------

mv "$work/tree/lib" "$work/tree/not"
if make_wheel neither; then
	fail "builds of nothing"
fi
grep -q 'libctprof .*is not installed' "$work/out" || {
	cat "$work/out"
	fail "does not report the missing library"
}
mv "$work/tree/not" "$work/tree/lib"

# --- with the library -------------------------------------------------------

make -s install DESTDIR="$work/root" > "$work/install.out" 2>&1 || {
	cat "$work/install.out"
	fail "make install fails"
}
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
