#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the wheels as users do, in virtual environments of minimal systems that
# have no compiler and none of our libraries, and runs ctprof there.
#
#	check_wheels.sh DIRECTORY	with the wheels; systems are kept in DIRECTORY/systems
#
# In the first system, compiles a C program with the flags of the package, too.
# Needs root, for chroot, and debootstrap. Environment:
#
#	SYSTEMS		releases of Debian, or ubuntu:RELEASE (default: bookworm trixie
#			ubuntu:noble, which have Python 3.11, 3.13 and 3.12)
#	DEBIAN_MIRROR, UBUNTU_MIRROR	other mirrors
#	UBUNTU_KEYRING	the file with Ubuntu's keys; without it, Ubuntu is skipped
set -eu

wheels=$(cd "$1" && pwd)
failed=0

say() {
	printf '%s\n' "check_wheels: $*" >&2
}

# make_system RELEASE DIRECTORY PACKAGES
make_system() {
	[ ! -e "$2.complete" ] || return 0
	rm -rf "$2"
	mkdir -p "$2"
	directory=$2
	set -- "$1" "--include=$3"
	case $1 in
	ubuntu:*)
		set -- "$2" --components=main,universe "--keyring=$keyring" \
			"${1#*:}" "$directory" "${UBUNTU_MIRROR:-}" gutsy
		;;
	*) set -- "$2" "$1" "$directory" "${DEBIAN_MIRROR:-}" ;;
	esac
	debootstrap --variant=minbase "$@" >"$directory.out" 2>&1 || {
		tail "$directory.out" >&2
		return 1
	}
	touch "$directory.complete"
}

# run DIRECTORY COMMANDS: the commands in the system, with the wheels.
run() {
	rm -rf "$1/wheels"
	mkdir "$1/wheels"
	cp "$wheels"/*"$(uname -m)".whl "$1/wheels"
	version=$(chroot "$1" python3 -c \
		'import sys; print("%d%d" % sys.version_info[:2])')
	# The program asks /proc for its own path; the mount ends with the shell.
	# shellcheck disable=SC2016
	if unshare --mount sh -c 'mount -t proc proc "$1/proc" &&
		exec chroot "$1" sh -c "$2" check "$3"' \
		sh "$1" "$install$2" "$version" >"$1.out" 2>&1; then
		say "${1##*/}, Python $version: ok"
	else
		cat "$1.out"
		say "${1##*/}, Python $version: fails"
		failed=1
	fi
}

# The commands of a user; $1 is the version of Python.
# shellcheck disable=SC2016
install='set -eu
export HOME=/tmp/check
rm -rf $HOME && mkdir $HOME && cd $HOME
python3 -m venv venv
. venv/bin/activate
pip install -q --no-index --disable-pip-version-check /wheels/ctprof-*-cp$1-cp$1-*.whl
'
# shellcheck disable=SC2016
use='if command -v gcc; then exit 1; fi
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

# shellcheck disable=SC2016
compile='printf "#include <ctprof.h>\nint main(void)\n{ CTP_SCOPE(%swork%s); }\n" "\"" "\"" >x.c
flags=$(python3 -c "import ctprof; print(*ctprof.cflags(), *ctprof.libs())")
gcc -Wall -Werror x.c -o x $flags
ctprof record -o x.ctp -- ./x
ctprof stats x.ctp | grep -q " work"
gcc $(ctprof cflags) x.c -o y $flags
ctprof record -o y.ctp -- ./y
ctprof stats y.ctp | grep -q " main "
'

keyring=${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
mkdir -p "$wheels/systems"
compiler=gcc,libc6-dev
for release in ${SYSTEMS:-bookworm trixie ubuntu:noble}; do
	system=$wheels/systems/${release#*:}
	case $release in
	ubuntu:*)
		[ -e "$keyring" ] || {
			say "$release: skipped: UBUNTU_KEYRING is not a file"
			continue
		}
		;;
	esac
	make_system "$release" "$system" python3,python3-venv || {
		failed=1
		continue
	}
	run "$system" "$use"
	[ -n "$compiler" ] || continue
	if make_system "$release" "$system+gcc" "python3,python3-venv,$compiler"; then
		run "$system+gcc" "$compile"
	else
		failed=1
	fi
	compiler=
done
exit $failed
