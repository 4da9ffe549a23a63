# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The beginning of every shell test, sourced before anything else:
#
#	. "${srcdir:-.}/tests/support/prelude.sh"
#
# A test for bash adds "|| exit 99": bash would continue without it, and delete or
# write files in the directory "".
#
# A test runs in the build directory, by `make check` or by hand:
#
#	cd build && srcdir=.. ../tests/bin/cli.sh
#
# It sets these variables, with absolute paths:
#
#	srcdir, build	the sources, and the build directory
#	CTPROF		the program
#	CLI_PROGRAM	a program that records: tests/bin/cli_program.c
#	python		for scripts, which import from tests/support
#	work		an empty directory, removed at the end
#	failed		0 until complain() or report() makes it 1; the last line of
#			a test is `exit $failed`
#
# and unsets variables of the environment that change a recording or a color.
# shellcheck disable=SC2034
set -u
build=$PWD
srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
CTPROF=$(realpath "${CTPROF:-ctprof}") || exit 99
CLI_PROGRAM=$(realpath "${CLI_PROGRAM:-tests/bin/cli_program}") || exit 99
python=${PYTHON3:-python3}
export CTPROF CLI_PROGRAM
export PYTHONPATH="$srcdir/tests/support" PYTHONDONTWRITEBYTECODE=1
unset CTPROF_OUT CTPROF_OUT_EXCL CTPROF_SPOOL CTPROF_BUFFER CTPROF_BUFFER_MAX \
	CTPROF_POLICY CTPROF_LAST CTPROF_DUMP_SIGNAL CTPROF_FUNCTIONS CTPROF_GPU CTPROF_CUPTI_LIB CTPROF_EMIT \
	CTPROF_PYTHON CUDA_INJECTION64_PATH CUDA_VISIBLE_DEVICES \
	NVTX_INJECTION64_PATH INTEL_LIBITTNOTIFY64 LD_PRELOAD \
	DEBUGINFOD_URLS NO_COLOR CLICOLOR_FORCE
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# complain WHAT: reports a failure, and continues.
complain() {
	echo "not ok $*"
	failed=1
}

# report STATUS WHAT: the case passed if the status is 0.
report() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		complain "$2"
	fi
}

# fail WHY: reports a failure, and ends the test.
fail() {
	echo "not ok $*"
	exit 1
}

# skip WHY: ends the test as skipped.
skip() {
	echo "skipped: $*"
	exit 77
}

# need PROGRAM...: skips the test if one is not installed.
need() {
	for needed in "$@"; do
		command -v "$needed" >/dev/null ||
			skip "$needed is not installed"
	done
}

# need_package NAME...: skips the test if Python lacks one.
need_package() {
	for needed in "$@"; do
		"$python" -c "import $needed" 2>/dev/null ||
			skip "the Python package $needed is not installed"
	done
}

# Is the library built with a sanitizer? Then programs cannot load it.
sanitized() {
	grep -q '^CTP_LDFLAGS = .*-fsanitize' "$build/Makefile"
}

# Skips the test if it is.
need_loadable_library() {
	! sanitized || skip "programs cannot load a sanitized library"
}

# wait_until COMMAND...: waits until it succeeds. False after two minutes, a
# limit for busy machines.
wait_until() {
	waits=0
	until "$@"; do
		waits=$((waits + 1))
		[ $waits -lt 2400 ] || return 1
		sleep 0.05
	done
}

# copy_installation DIRECTORY: makes it what `make install DESTDIR=DIRECTORY` would.
copy_installation() {
	[ -d "$build/tests/installation" ] ||
		fail "no installation; 'make test-installation' makes it"
	cp -a "$build/tests/installation" "$1" || exit 99
}

# record_program SEED LOG: records a random program of tests/support/oracle.py.
record_program() {
	"$python" "$srcdir/tests/support/oracle.py" program "$1" |
		CTPROF_OUT=$2 "$build/tests/support/oracle_record" || exit 1
}

# The first Python that the package is built for; empty if it cannot be loaded.
package_python() {
	sanitized ||
		sed -n 's/^CTP_PYTHONS = *\([^ ]*\).*/\1/p' "$build/Makefile"
}
