#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the wheels as users do, in virtual environments of minimal systems that
# have no compiler and none of our libraries, and runs ctprof there.
#
#	check_wheels.sh DIRECTORY	with the wheels; systems are kept in DIRECTORY/systems
#
# Environment: SYSTEMS, releases of Debian (default: bookworm trixie, Python 3.11
# and 3.13). Needs root, for chroot, and debootstrap, and DEBIAN_MIRROR names another mirror.
set -eu

wheels=$(cd "$1" && pwd)
failed=0

say() {
	printf '%s\n' "check_wheels: $*" >&2
}

# make_system RELEASE DIRECTORY
make_system() {
	[ ! -e "$2/complete" ] || return 0
	rm -rf "$2"
	mkdir -p "$2"
	debootstrap --variant=minbase --include=python3,python3-venv \
		"$1" "$2" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$2.out" 2>&1 || {
		tail "$2.out" >&2
		return 1
	}
	touch "$2/complete"
}

# The commands of a user; $1 is the version of Python.
# shellcheck disable=SC2016
commands='set -eu
export HOME=/tmp/check
rm -rf $HOME && mkdir $HOME && cd $HOME
! command -v gcc
python3 -m venv venv
. venv/bin/activate
pip install -q --no-index --disable-pip-version-check /wheels/ctprof-*-cp$1-cp$1-*.whl
printf "def f(n):\n    return n and f(n - 1)\nf(40)\n" >x.py
printf "import ctprof\nwith ctprof.range(%swork%s): pass\n" "\"" "\"" >ranges.py
ctprof record -o ranges.ctp -- python3 ranges.py && ctprof stats ranges.ctp
ctprof record --python -o x.ctp -- python3 x.py && ctprof stats x.ctp | tee x.txt
grep -qE "^ *41 +1 .* f " x.txt
python3 -m ctprof -q -o y.ctp x.py && python3 -m ctprof stats y.ctp >y.txt
grep -qE "^ *41 +1 .* f " y.txt
ctp2pstats x.ctp -o x.pstats
python3 -c "import pstats; pstats.Stats(\"x.pstats\")"
ctprof report -o x.html x.ctp
test -f "$(python3 -c "import ctprof; print(ctprof.get_include())")/ctprof.h"
python3 -c "import ctprof; print(*ctprof.cflags(), *ctprof.libs())"
test -f venv/share/man/man1/ctprof.1
native=$(echo venv/lib/python3*/site-packages/ctprof)/_native
mv "$native" moved
moved/bin/ctprof stats x.ctp >z.txt
cmp x.txt z.txt
mv moved "$native"
pip uninstall -q -y ctprof
test -z "$(find venv -path "*ctprof*")"
'

for release in ${SYSTEMS:-bookworm trixie}; do
	system=$wheels/systems/$release
	make_system "$release" "$system" || {
		failed=1
		continue
	}
	mkdir -p "$system/wheels"
	cp "$wheels"/*x86_64.whl "$system/wheels"
	version=$(chroot "$system" python3 -c \
		'import sys; print("%d%d" % sys.version_info[:2])')
	# The program asks /proc for its own path; the mount ends with the shell.
	# shellcheck disable=SC2016
	if unshare --mount sh -c 'mount -t proc proc "$1/proc" &&
		exec chroot "$1" sh -c "$2" check "$3"' \
		sh "$system" "$commands" "$version" >"$system.out" 2>&1; then
		say "$release, Python $version: ok"
	else
		cat "$system.out"
		say "$release, Python $version: fails"
		failed=1
	fi
done
exit $failed
