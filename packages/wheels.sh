#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the wheels: all of ctprof for one version of Python each, for machines
# without a compiler.
#
#	wheels.sh DIRECTORY		the wheels go there; work is done in DIRECTORY/parts
#
# Zig compiles against an old version of the C library, also for another
# architecture; the libraries of other projects are Debian's archives. auditwheel
# checks what the files need of a system, and tags the wheels.
#
# Environment:
#
#	WHEEL_PYTHONS		the interpreters (default: all that are found)
#	WHEEL_MACHINES		'x86_64 aarch64' builds for both (default: x86_64)
#	WHEEL_GLIBC		the oldest C library (default: 2.28)
#	SOURCE_DATE_EPOCH	the time of all files (default: the last commit's)
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1/parts"
out=$(cd "$1" && pwd)
work=$out/parts
glibc=${WHEEL_GLIBC:-2.28}
tools=$work/venv
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct 2>/dev/null ||
		stat -c %Y "$source/NEWS.md")
fi
export SOURCE_DATE_EPOCH
# Variables of another make would reach the bytes, and so would modes of files.
MAKEFLAGS=-j$(nproc)
export MAKEFLAGS
umask 022
unset CFLAGS CPPFLAGS LDFLAGS PYTHONPATH DESTDIR MAKELEVEL

say() {
	printf '%s\n' "wheels: $*" >&2
}

# The tools have pinned versions and hashes.
install_tools() {
	[ ! -x "$tools/bin/auditwheel" ] || return 0
	say "installing tests/requirements-wheels.txt into $tools"
	python3 -m venv "$tools"
	"$tools/bin/python" -m pip install -q --disable-pip-version-check \
		--require-hashes --only-binary :all: \
		-r "$source/tests/requirements-wheels.txt"
}

find_pythons() {
	pythons=${WHEEL_PYTHONS:-$("$source/bootstrap" pythons)}
	[ -n "$pythons" ] || {
		say "no CPython 3.11 to 3.14 with its headers is found"
		exit 1
	}
}

# write_compiler MACHINE: a program that compiles for it. Objects hold no paths.
write_compiler() {
	cat >"$work/$1/cc" <<-END
	#!/bin/sh
	exec '$tools/bin/python' -m ziglang cc -target $1-linux-gnu.$glibc \\
		-ffile-prefix-map='$source=.' -ffile-prefix-map='$work/$1=.' \\
		"\$@"
	END
	chmod +x "$work/$1/cc"
}

# stage MACHINE ARCHITECTURE: builds the files of its wheels.
stage() {
	mkdir -p "$work/$1"
	say "building for $1 with glibc $glibc"
	sh "$source/packages/libraries.sh" "$2" "$work/$1/libraries"
	write_compiler "$1"
	root=$work/$1/libraries/root
	gcc=$(find "$root/usr/lib/gcc/$1-linux-gnu" -name libsupc++.a)
	# Debian's Python looks for its headers of each machine.
	for include in /usr/include/x86_64-linux-gnu/python3.*; do
		[ ! -d "$include" ] || ln -sfn "$include" \
			"$root/usr/include/$1-linux-gnu/${include##*/}"
	done
	PKG_CONFIG_SYSROOT_DIR=$root \
		PKG_CONFIG_LIBDIR=$root/usr/lib/$1-linux-gnu/pkgconfig \
		sh "$source/python/stage.sh" "$work/$1/build" "$work/$1/stage" \
		--host="$1-linux-gnu" \
		--with-python="$(echo "$pythons" | tr ' ' ,)" \
		CC="$work/$1/cc" CXX=false AR=ar RANLIB=ranlib \
		CFLAGS='-O2 -fno-sanitize=undefined' \
		CPPFLAGS="-isystem $root/usr/include/$1-linux-gnu -isystem $root/usr/include" \
		LDFLAGS="-L$root/usr/lib/$1-linux-gnu -L${gcc%/*} -Wl,-s"
}

# pack MACHINE SUFFIX: makes the wheel of the Python with this suffix.
pack() {
	version=$(expr "$2" : '\.cpython-\([0-9]*\)')
	abi=cp$(expr "$2" : '\.cpython-\([0-9a-z]*\)')
	tree=$work/$1/$abi
	rm -rf "$tree"
	mkdir -p "$tree/raw" "$tree/stage/ctprof"
	cp -R "$work/$1/stage/man" "$tree/stage"
	cp -R "$work/$1/stage/ctprof/_native" "$tree/stage/ctprof"
	for file in "$work/$1/stage/ctprof"/*"$2"; do
		name=${file##*/}
		cp "$file" "$tree/stage/ctprof/${name%%.*}.cpython-${abi#cp}-$1-linux-gnu.so"
	done
	# Out of the sources, which setuptools writes to.
	cp -R "$source/python" "$tree/python"
	rm -rf "$tree/python/build" "$tree/python/package"
	mkdir -p "$tree/lib" "$tree/packages"
	cp "$source/README.md" "$source/COPYING" "$tree"
	cp "$source/lib/ctprof.h" "$tree/lib"
	cp "$source/packages/COPYING.libraries" "$tree/packages"
	chmod -R u+rw,go=u,go-w "$tree"
	(cd "$tree/python" && CTPROF_STAGE=$tree/stage \
		CTPROF_SUFFIX=.cpython-${abi#cp}-$1-linux-gnu.so \
		CTPROF_TAG=cp$version-$abi-linux_$1 \
		"$tools/bin/python" setup.py -q bdist_wheel -d "$tree/raw" \
		>"$tree/out" 2>&1) || {
		cat "$tree/out"
		exit 1
	}
	# It knows the tags of this machine only, or finds those that fit.
	tag=manylinux_$(echo "$glibc" | tr . _)_$1
	platform=auto
	[ "$1" != "$(uname -m)" ] || platform=$tag
	PATH=$tools/bin:$PATH "$tools/bin/auditwheel" -v repair \
		--plat "$platform" -w "$out" \
		"$tree"/raw/*.whl >"$tree/out" 2>&1 || {
		cat "$tree/out"
		exit 1
	}
	[ -e "$out/$(basename "$tree"/raw/*.whl "linux_$1.whl")$tag.whl" ] || {
		cat "$tree/out"
		say "auditwheel does not give the tag $tag"
		exit 1
	}
}

install_tools
find_pythons
rm -f "$out"/*.whl
own=
for machine in ${WHEEL_MACHINES:-x86_64}; do
	case $machine in
	x86_64) stage x86_64 amd64 ;;
	aarch64)
		OWN_CTPROF=$own
		export OWN_CTPROF
		stage aarch64 arm64
		;;
	*)
		say "WHEEL_MACHINES: x86_64 and aarch64"
		exit 2
		;;
	esac
	if [ "$machine" = "$(uname -m)" ]; then
		own=$work/$machine/stage/ctprof/_native/bin/ctprof
	fi
	for file in "$work/$machine/stage/ctprof"/_ctprof.*.so; do
		pack "$machine" ".${file#*/_ctprof.}"
	done
done
ls -l "$out"/*.whl
