#!/bin/sh
# SPDX-License-Identifier: MIT
# Packages have the same bytes when they are built again.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need dpkg-buildpackage dh
ls deb/*.changes >/dev/null 2>&1 || skip "make deb has made no packages"
version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)
cp "deb/ctprof_$version.orig.tar.xz" "$work/ctprof-$version.tar.xz"
DEB_BUILD_OPTIONS=nocheck "$srcdir/packages/deb.sh" \
	"$work/ctprof-$version.tar.xz" "$work/again" || fail "make deb"
for package in deb/*.deb deb/*.dsc; do
	cmp "$package" "$work/again/${package#deb/}"
	report $? "$package"
done
exit $failed
