#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the files of a wheel that are not in Python, with configure and make.
#
#	stage.sh BUILD STAGE [OPTION...]
#
# BUILD is a directory to build in, OPTIONs are configure's. STAGE gets
#
#	ctprof/*.so			the extensions of each Python
#	ctprof/_native			the program, libraries, headers and pkg-config files
#	man				the manual pages
#
# They run from any folder. Environment: CTPROF_SOURCE, the sources; MAKEFLAGS;
# OWN_CTPROF, when building for another machine: a ctprof that runs here.
set -eu

mkdir -p "$1" "$2"
build=$(cd "$1" && pwd)
stage=$(cd "$2" && pwd)
source=$(cd "${CTPROF_SOURCE:-$(dirname "$0")/..}" && pwd)
native=$stage/ctprof/_native
shift 2

if [ ! -x "$source/configure" ]; then
	command -v autoreconf >/dev/null || {
		echo "ctprof: a clone needs autoconf, automake and libtool" >&2
		exit 1
	}
	(cd "$source" && autoreconf -i)
fi
cd "$build"
# Without symbols for debuggers, which are most of the bytes.
LDFLAGS=${LDFLAGS--Wl,-s}
export LDFLAGS
if [ ! -f Makefile ] || [ "$(cat options)" != "$*" ]; then
	rm -f python/package/ctprof/*.so
	"$source/configure" -q --enable-static-tools --without-mpi \
		--disable-dependency-tracking --prefix=/usr/local "$@"
	echo "$*" >options
fi

# build TARGET...: paths of this machine stay out of the results.
build() {
	# shellcheck disable=SC2016 # make's variables, and the loader's
	make -s LIBTOOLFLAGS=--quiet python_directories= 'PYTHON_RPATH=-Wl,-rpath,\$$ORIGIN/_native/lib' \
		${OWN_CTPROF:+"own_ctprof=$OWN_CTPROF"} DESTDIR="$build/installed" \
		prefix=/usr/local "$@"
}
rm -rf installed
build all
build install-binPROGRAMS install-libLTLIBRARIES install-includeHEADERS \
	install-pkgconfigDATA install-cmakeDATA install-man install-data-hook

# A wheel has no links: libraries are there by the name that is loaded, and the
# linker's name is a text for the linker.
root=$build/installed/usr/local
rm -rf "$native" "$stage/man" "$stage"/ctprof/*.so
mkdir -p "$native/bin" "$native/lib" "$stage/man"
cp "$root/bin/ctprof" "$native/bin"
cp -R "$root/include" "$native"
cp -R "$root/lib/pkgconfig" "$root/lib/cmake" "$native/lib"
for library in "$root"/lib/*.so.0; do
	cp "$(realpath "$library")" "$native/lib/${library##*/}"
done
echo 'INPUT(libctprof.so.0)' >"$native/lib/libctprof.so"
# shellcheck disable=SC2016 # pkg-config's variable
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$native"/lib/pkgconfig/*.pc
cp -R "$root"/share/man/man? "$stage/man"
cp python/package/ctprof/*.so "$stage/ctprof"
