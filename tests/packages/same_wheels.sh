#!/bin/sh
# SPDX-License-Identifier: MIT
# A wheel and the source distribution, as `make wheels sdist` left them, have the
# same bytes when they are built again: from the tarball, in another directory,
# by a user with another umask.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
python=$(command -v python3)
abi=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
machine=$(uname -m)
ls wheels/ctprof-*-"$abi-$abi"-*"_$machine.whl" wheels/*.tar.gz \
	>/dev/null 2>&1 || skip "make wheels sdist has not made those of python3"
umask 077
make -s dist-xz > "$work/out" 2>&1 || {
	tail -n 20 "$work/out"
	fail "make dist"
}
tarball=ctprof-$(sed -n 's/^PACKAGE_VERSION = //p' Makefile).tar.xz

sh "$srcdir/packages/sdist.sh" "$tarball" "$work/again" > "$work/out" 2>&1 || {
	cat "$work/out"
	fail "make sdist"
}
for file in wheels/*.tar.gz; do
	cmp "$file" "$work/again/${file#wheels/}"
	report $? "$file"
done

# The tools and the libraries of others are not downloaded again.
mkdir -p "$work/again/parts/$machine"
ln -s "$PWD/wheels/parts/venv" "$work/again/parts"
cp -R "wheels/parts/$machine/libraries" "$work/again/parts/$machine"
tar -xf "$tarball" -C "$work" && mv "$work/${tarball%.tar.xz}" "$work/renamed" ||
	exit 99
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$work/renamed/NEWS.md")} \
	WHEEL_PYTHONS=$python WHEEL_MACHINES=$machine \
	sh "$work/renamed/packages/wheels.sh" "$work/again" > "$work/out" 2>&1 || {
	tail -n 40 "$work/out"
	fail "make wheels"
}
for file in "$work"/again/*.whl; do
	cmp "$file" "wheels/${file##*/}"
	report $? "${file##*/}"
done
exit $failed
