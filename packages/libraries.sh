#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks the libraries that wheels are linked with, from packages of Debian for
# any architecture. Nothing is installed, and root is not needed.
#
#	libraries.sh ARCHITECTURE DIRECTORY		amd64 or arm64
set -eu

architecture=$1
mkdir -p "$2"
top=$(cd "$2" && pwd)
packages='libmsgpack-dev zlib1g-dev libdeflate-dev libjansson-dev libdw-dev
	libelf-dev libsqlite3-dev liblzma-dev libbz2-dev'

[ ! -e "$top/complete" ] || exit 0
mkdir -p "$top/lists/partial" "$top/archives/partial" "$top/root"
: >"$top/status"
apt() {
	apt-get -q -o Dir::State="$top" -o Dir::State::lists="$top/lists" \
		-o Dir::State::status="$top/status" -o Dir::Cache="$top" \
		-o Dir::Cache::archives="$top/archives" \
		-o APT::Architecture="$architecture" \
		-o APT::Architectures="$architecture" \
		-o APT::Sandbox::User="$(id -un)" "$@" >"$top/out" 2>&1 || {
		cat "$top/out" >&2
		exit 1
	}
}
apt update
cd "$top/archives"
# The demangler is in the archive of the default compiler.
compiler=$(apt-cache -o Dir::State::lists="$top/lists" \
	-o Dir::State::status="$top/status" -o Dir::Cache="$top" \
	-o APT::Architecture="$architecture" \
	-o APT::Architectures="$architecture" depends g++ |
	sed -n 's/.*Depends: g++-\([0-9]*\)$/\1/p' | head -n 1)
# shellcheck disable=SC2086
apt download $packages "libstdc++-${compiler:-12}-dev"
for package in *.deb; do
	dpkg -x "$package" "$top/root"
done
# Only archives: -lNAME finds no shared library.
find "$top/root" -name '*.so' -exec rm -f {} +
touch "$top/complete"
