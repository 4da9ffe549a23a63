#!/bin/sh
# SPDX-License-Identifier: MIT
# All that a release needs, from a clean clone: `make release-check`.
#
#	release_check.sh SRCDIR DIRECTORY
#
# Runs in the build directory. Checks that each place names the version of
# lib/ctprof.h, then makes tarball, packages and wheels in DIRECTORY, with
# SHA256SUMS. CTP_RELEASE_PARTS (default: "dist deb wheels sdist") chooses
# some.
set -eu
srcdir=$(cd "$1" && pwd)
directory=$2
failed=0

version=$(sed -n 's/^.define CTP_VERSION_[A-Z]* //p' "$srcdir/lib/ctprof.h" |
	paste -sd .)

# same PLACE VERSION
same() {
	if [ "$2" = "$version" ]; then
		echo "ok $1"
	else
		echo "not ok $1 has version '$2', lib/ctprof.h $version"
		failed=1
	fi
}

same "configure (run autoreconf)" \
	"$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)"
same "ctprof --version" "$(./ctprof --version | sed -n '1s/ctprof //p')"
same NEWS.md "$(sed -n 's/^## //p' "$srcdir/NEWS.md" | head -n 1)"
same debian/changelog "$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' \
	"$srcdir/debian/changelog")"
same ctprof.pc "$(sed -n 's/^Version: //p' lib/ctprof.pc)"
same ctprof-config-version.cmake "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' \
	lib/cmake/ctprof-config-version.cmake)"
same lib/log/FORMAT.md "$(sed -n 's/.*"ctprof \([0-9.]*\)".*/\1/p' \
	"$srcdir/lib/log/FORMAT.md" | head -n 1)"
if git -C "$srcdir" rev-parse --git-dir >/dev/null 2>&1; then
	[ -z "$(git -C "$srcdir" status --porcelain)" ] || {
		echo "not ok: files are changed or new: use a clean clone"
		failed=1
	}
	tag=$(git -C "$srcdir" tag --points-at HEAD | grep '^v[0-9]' || :)
	[ -z "$tag" ] || same "the tag of this commit" "${tag#v}"
fi
[ $failed = 0 ] || exit 1

rm -rf "$directory"
mkdir -p "$directory"
for part in ${CTP_RELEASE_PARTS:-dist deb wheels sdist}; do
	echo "making $part"
	${MAKE:-make} -s "$part" >"$directory/$part.log" 2>&1 || {
		tail -n 40 "$directory/$part.log"
		echo "not ok $part"
		exit 1
	}
	rm "$directory/$part.log"
done
for file in "ctprof-$version.tar.xz" deb/*.deb deb/*.dsc deb/*.debian.tar.xz \
	deb/*.orig.tar.xz wheels/*.whl \
	wheels/*.tar.gz; do
	[ ! -e "$file" ] || cp "$file" "$directory"
done
cd "$directory"
rm -f -- *-dbgsym_*
sha256sum -- * > SHA256SUMS
cat SHA256SUMS
echo "tag: v$version"
