#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the source distribution for pip from the tarball of `make dist`: the files
# of python/, with the whole tarball in source/.
#
#	sdist.sh TARBALL DIRECTORY
set -eu

tarball=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
name=$(basename "$tarball" .tar.xz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir "$work/source"
tar -C "$work/source" --strip-components=1 -xf "$tarball"
epoch=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$work/source/NEWS.md")}
cp -R "$work/source/python" "$work/$name"
mv "$work/source" "$work/$name/source"
# setup.py knows the metadata.
(cd "$work/$name" && python3 setup.py -q egg_info --egg-base "$work" >/dev/null 2>&1) || {
	echo "sdist.sh: python3 needs setuptools" >&2
	exit 1
}
cp "$work/ctprof.egg-info/PKG-INFO" "$work/$name"
find "$work/$name" -name __pycache__ -exec rm -rf {} +
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=u,go-w \
	--mtime="@$epoch" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
ls -l "$out/$name.tar.gz"
