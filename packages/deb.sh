#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds Debian's packages from a tarball, as Debian does: outside of any tree.
#
#	deb.sh TARBALL DIRECTORY
#
# The packages are in DIRECTORY, which is made anew. The date in them is that of
# debian/changelog, or SOURCE_DATE_EPOCH: the bytes are the same each time.
set -eu

tarball=$(realpath "$1")
directory=$2
version=$(basename "$tarball" .tar.xz)
version=${version#ctprof-}

command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || {
	echo "deb.sh: dpkg-dev and debhelper are missing: ./bootstrap packages" >&2
	exit 1
}
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
cp "$tarball" "ctprof_$version.orig.tar.xz"
tar -xf "$tarball"
cd "ctprof-$version"
entry=$(dpkg-parsechangelog -S Version)
[ "${entry%-*}" = "$version" ] || {
	echo "deb.sh: debian/changelog has $entry, the tarball $version" >&2
	exit 1
}
# The environment of make would reach the makefiles of the package, and so would
# a compiler and its options, which debian/rules chooses.
unset MAKEFLAGS MAKELEVEL MFLAGS TAR_OPTIONS DESTDIR
unset CC CXX CPP CXXCPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS
dpkg-buildpackage -us -uc --jobs="$(nproc)" >../build.log 2>&1 || {
	tail -n 60 ../build.log
	echo "deb.sh: building fails; all messages are in $directory/build.log" >&2
	exit 1
}
cd ..
rm -r "ctprof-$version"
ls -- *.deb *.dsc
