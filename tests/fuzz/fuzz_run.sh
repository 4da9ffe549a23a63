#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the fuzz targets and fuzzes with each for a share of the time:
#
#	fuzz_run.sh libfuzzer|afl SECONDS TARGET...
#
# in the build directory, with CPPFLAGS, SOURCES and LIBS from the makefile.
# Findings stay in fuzz/, and the next run goes on from the corpus there.
set -eu
srcdir=${srcdir:-.}
export srcdir
engine=$1
seconds=$2
shift 2
share=$((seconds / $#))

need() {
	command -v "$1" >/dev/null && return
	echo "make $2: $1 is not installed (Debian: $3)" >&2
	exit 1
}

build() {
	# shellcheck disable=SC2086
	(cd "$srcdir" && "$@" -std=c17 -g -O1 $CPPFLAGS \
		-o "$OLDPWD/fuzz/$target.$engine" "tests/fuzz/$target.c" \
		$SOURCES $LIBS)
}

run_libfuzzer() {
	build clang -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all
	"./fuzz/$target.libfuzzer" -max_total_time="$share" -timeout=20 \
		-rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="fuzz/$target-" "fuzz/$target"
}

run_afl() {
	AFL_USE_ASAN=1 AFL_USE_UBSAN=1
	# Nobody reads its screen here, and an existing corpus is continued.
	AFL_NO_UI=1 AFL_AUTORESUME=1 AFL_SKIP_CPUFREQ=1
	AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
	export AFL_USE_ASAN AFL_USE_UBSAN AFL_NO_UI AFL_AUTORESUME \
		AFL_SKIP_CPUFREQ AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES
	build afl-clang-fast -fsanitize=fuzzer
	afl-fuzz -i "fuzz/$target" -o "fuzz/$target.out" -V "$share" \
		-t 20000 -m none -- "./fuzz/$target.afl" || return
	found=$(find "fuzz/$target.out" -path '*/crashes/id*' -o \
		-path '*/hangs/id*')
	[ -z "$found" ] || {
		echo "make fuzz-afl: found:"
		echo "$found"
		return 1
	}
}

case $engine in
libfuzzer) need clang fuzz clang ;;
afl)
	need afl-clang-fast fuzz-afl afl++
	need afl-fuzz fuzz-afl afl++
	;;
esac
failed=0
for target in "$@"; do
	echo "== $target with $engine, $share seconds"
	mkdir -p "fuzz/$target"
	"$srcdir/tests/fuzz/fuzz_seeds.sh" "$target" "fuzz/$target"
	"run_$engine" || failed=1
done
exit $failed
