#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds a program in C and one in C++ against the installed library, as its
# users do, with only pkg-config. Runs them, and checks the logs and the
# library's exports.
#
# Usage: installed.sh [PREFIX]
# Environment: CC, CXX, PKG_CONFIG, and DESTDIR if it was installed below one.
# Without a prefix it takes what `make test-installation` has installed.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-}
root=${DESTDIR:-}
cc=${CC:-cc}
cxx=${CXX:-c++}
pkg_config=${PKG_CONFIG:-pkg-config}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail()
{
	printf '%s\n' "installed.sh: $*" >&2
	exit 1
}

if [ -z "$prefix" ]; then
	if grep -q '^CTP_LDFLAGS = .*-fsanitize' Makefile; then
		echo "skipped: programs cannot load a sanitized library"
		exit 77
	fi
	prefix=$(sed -n 's/^prefix = //p' Makefile)
	root=$PWD/tests/installation
	[ -d "$root" ] ||
		fail "no installation; 'make test-installation' makes it"
fi
pc=$(find "$root$prefix" -name ctprof.pc | head -n 1)
[ -n "$pc" ] || fail "no ctprof.pc below $root$prefix"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
if [ -n "$root" ]; then
	PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_SYSROOT_DIR
fi
cflags=$($pkg_config --cflags ctprof) || fail "pkg-config --cflags"
libs=$($pkg_config --libs ctprof) || fail "pkg-config --libs"
# The flags that instrument functions are those of the compiler.
flags=$($pkg_config --cflags ctprof-instrument | sed "s/ *$//")
[ -n "$flags" ] || fail "ctprof-instrument.pc has no flags"
if [ -x "$root$prefix/bin/ctprof" ]; then
	for name in gcc clang; do
		command -v $name >/dev/null || continue
		found=$($pkg_config --variable=${name}_cflags ctprof-instrument)
		[ "$found" = "$("$root$prefix/bin/ctprof" cflags --cc=$name)" ] ||
			fail "flags of $name: pkg-config prints $found"
		[ "$found" != "$flags" ] || flags=
	done
	[ -z "$flags" ] || fail "pkg-config --cflags prints $flags"
fi
# Not --variable=libdir: only some versions put the sysroot before it.
libdir=$(dirname "$(dirname "$pc")")
[ -e "$libdir/libctprof.so" ] || fail "no libctprof.so in $libdir"
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH

# try NAME COMPILER...: builds and runs one, with and without recording.
try()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # $cflags and $libs are many words
	"$@" -Wall -Wextra -Wpedantic -Werror -o "$work/$name" $cflags \
		"$tests/project/$name" $libs || fail "$name does not build"
	"$work/$name" || fail "$name fails when it is not recorded"
	[ -z "$(find "$work" -name '*.ctp')" ] ||
		fail "$name recorded without being asked to"
	CTPROF_OUT=$work/log.ctp "$work/$name" || fail "$name fails"
	[ -s "$work/log.ctp" ] || fail "$name left no log"
	gzip -t "$work/log.ctp" || fail "the log of $name is not a gzip file"
	for word in consumer work "$name"; do
		gzip -dc "$work/log.ctp" | grep -aq "$word" ||
			fail "the log of $name has no \"$word\" in it"
	done
	if [ -x "$root$prefix/bin/ctprof" ]; then
		"$root$prefix/bin/ctprof" stats "$work/log.ctp" |
			grep -q "work.*$name" ||
			fail "ctprof stats does not show work() of $name"
	fi
	rm "$work/log.ctp"
}

for program in "$root$prefix"/bin/ctp2*; do
	[ -e "$program" ] || continue
	name=$(basename "$program")
	[ -n "$(find "$root$prefix" -path "*/man1/$name.1*")" ] ||
		fail "$name has no manual page"
done

cd "$work"
# shellcheck disable=SC2086 # they may hold options
try consumer.c $cc -std=c17
# shellcheck disable=SC2086
try consumer.cc $cxx -std=c++11 -Wold-style-cast
# shellcheck disable=SC2086
try consumer.cc $cxx -std=c++20 -Wold-style-cast

# try_cmake: the same in C with find_package(), which also checks the version.
try_cmake()
{
	version=$(sed -n 's/^Version: //p' "$pc")
	compiler=${cc#ccache }
	compiler=${compiler%% *}
	set -- "-DCMAKE_PREFIX_PATH=$root$prefix" "-DCMAKE_C_COMPILER=$compiler" \
		"-DCMAKE_BUILD_TYPE=Release" "$tests/project/cmake"
	mkdir "$work/cmake"
	cd "$work/cmake"
	cmake -DCTPROF_VERSION="$version" "$@" >out 2>&1 && make >>out 2>&1 || {
		cat out
		fail "find_package(ctprof $version) fails"
	}
	CTPROF_OUT=log.ctp ./consumer || fail "consumer of CMake fails"
	gzip -dc log.ctp | grep -aq work || fail "its log has no \"work\" in it"
	nm instrumented | grep -q __cyg_profile_func_enter ||
		fail "ctprof::instrument does not instrument"
	expected=$("$root$prefix/bin/ctprof" cflags --cc="$compiler")
	grep -q -e " $expected" CMakeFiles/instrumented.dir/flags.make ||
		fail "ctprof::instrument has other flags than ctprof cflags"
	for version in "${version%%.*}.999" $((${version%%.*} + 1)); do
		! cmake -DCTPROF_VERSION="$version" "$@" >out 2>&1 ||
			fail "find_package() takes it for version $version"
	done
}
if command -v cmake >/dev/null && [ -x "$root$prefix/bin/ctprof" ]; then
	try_cmake
fi
others=$(nm -D --defined-only "$libdir/libctprof.so" |
	awk '{ print $3 }' | grep -v -e '^ctp_' -e '^CTPROF_') || :
[ -z "$others" ] || fail "libctprof.so exports more than ctp_*: $others"
