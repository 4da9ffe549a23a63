#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the built and the installed Python package: each interpreter loads it
# from where it was put, no other files are installed, and uninstall removes
# all.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
facts=$srcdir/python/build_facts.py
variable() {
	sed -n "s/^$1 = *//p" Makefile
}

pythons=$(variable CTP_PYTHONS)
[ -n "$pythons" ] || skip "configured without Python"
need_loadable_library
root=$work/root
prefix=$(variable prefix)
# The makefile's value refers to these two variables.
# shellcheck disable=SC2034
exec_prefix=$prefix
libdir=$(eval "echo $(variable libdir)")

# installed DIRECTORY PYTHON: does it load the package from there, with the
# library installed beside it?
installed() {
	(cd "$work" && PYTHONPATH=$1 LD_LIBRARY_PATH=$root$libdir "$2" -c '
import os, sys
from ctprof import _ctprof
assert os.path.dirname(_ctprof.__file__) == sys.argv[1], _ctprof.__file__
assert _ctprof.status() == "off", _ctprof.status()
with open("/proc/self/maps") as maps:
	libraries = {line.split()[-1] for line in maps if "libctprof" in line}
assert len(libraries) == 1, libraries
assert libraries.pop().startswith(sys.argv[2]), libraries
' "$1/ctprof" "$root")
}

# --- what was built ---------------------------------------------------------

ls python/package/ctprof/_ctprof*.so python/package/ctprof/_convert*.so \
	> "$work/extensions" || fail "no extension was built"
while read -r extension; do
	readelf -d "$extension" > "$work/dynamic" || exit 1
	if grep -q 'NEEDED.*libpython' "$work/dynamic"; then
		fail "$extension is linked with libpython"
	fi
	name=${extension##*/}
	name=${name%%.*}
	exported=$(readelf -W --dyn-syms "$extension" |
		awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }')
	[ "$exported" = "PyInit_$name" ] ||
		fail "$extension exports more than its PyInit: $exported"
	# The converter contains its code; the recorder is in the program's
	# library.
	if [ "$name" = _convert ]; then
		! grep -q 'NEEDED.*libctprof' "$work/dynamic" ||
			fail "$extension has the recorder"
		continue
	fi
	grep -q 'NEEDED.*\[libctprof\.so' "$work/dynamic" ||
		fail "$extension is not linked with libctprof"
	grep -q "RUNPATH.*\[$libdir\]" "$work/dynamic" ||
		fail "$extension does not look for libctprof in $libdir"
done < "$work/extensions"

# --- make install -----------------------------------------------------------

copy_installation "$root"
for python in $pythons; do
	directory=$("$python" "$facts" directory "$prefix") || exit 1
	[ -f "$root$directory/ctprof/__init__.py" ] ||
		fail "$python: nothing in $directory"
	installed "$root$directory" "$python" ||
		fail "$python: the installed package does not work"
	grep -qaF "$directory" "$root$prefix/bin/ctprof" ||
		fail "$python: 'ctprof record --python' does not know $directory"
	find "$root$directory/ctprof" -name '*.pyc' | grep -q . ||
		fail "$python: not compiled"
	if grep -rqaF "$build/tests/installation" "$root$directory/ctprof"; then
		fail "$python: DESTDIR is in installed files"
	fi
	"$python" "$facts" looks "$directory" ||
		grep -q "$python.*PYTHONPATH=$directory\$" \
			tests/installation.out ||
		fail "make install does not print where it has put the package"
done

make -s uninstall DESTDIR="$root" > "$work/uninstall.out" 2>&1 || {
	cat "$work/uninstall.out"
	fail "make uninstall fails"
}
left=$(find "$root" ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
left=$(find "$root" -name ctprof -path '*python*')
[ -z "$left" ] || fail "make uninstall leaves $left"

# --- where packages go ------------------------------------------------------

for python in $pythons; do
	# By default, and below its own prefix: where the interpreter looks,
	# also in a virtual environment.
	own=$("$python" -c 'import sys; print(sys.base_prefix)')
	for below in /usr/local "$own"; do
		directory=$("$python" "$facts" directory "$below")
		"$python" "$facts" looks "$directory" ||
			fail "$python does not look in $directory"
	done
	case $("$python" "$facts" directory "$own") in
	"$own"/lib*) ;;
	*) fail "$python: not below its prefix" ;;
	esac
	# Elsewhere: where it would look if that were its prefix.
	directory=$("$python" "$facts" directory "$work/elsewhere")
	case $directory in
	"$work"/elsewhere/lib*/python3.*/site-packages) ;;
	*) fail "$python: $directory" ;;
	esac
	! "$python" "$facts" looks "$directory" ||
		fail "$python looks in $directory"
done
