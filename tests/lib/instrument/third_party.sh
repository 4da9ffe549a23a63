#!/bin/bash
# SPDX-License-Identifier: MIT
# Unmodified programs from Debian's packages: zlib's examples, the stb libraries
# and nlohmann's json. Each is compiled with -finstrument-functions and
# recorded, and the calls of each of its functions are compared with an
# independent count:
#
#	-O0  callgrind's, of the same binary
#	-O2  gcov's (gcc) or llvm-profdata's (clang), of a second build with
#	     counters in place of our hooks: inlined functions are counted too
#
# Environment: REAL_ALL=1 for cases that take minutes: C++ with clang and at
# -O2, all of zlib's examples, and -O0 against gcov as well.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
real=$srcdir/tests/lib/instrument/third_party
examples=/usr/share/doc/zlib1g-dev/examples
export LC_ALL=C

need_loadable_library
need gcc g++ gcov valgrind nm objdump
cd "$work" || exit 99
compilers=gcc
if command -v clang >/dev/null; then
	compilers="gcc clang"
	llvm_profdata=$(clang -print-prog-name=llvm-profdata)
	# Debian has it in a separate package, libclang-rt-dev.
	if ! echo 'int main(void) { return 0; }' |
		clang -fprofile-instr-generate -xc - -o counted 2>/dev/null
	then
		echo "skipped llvm: clang's counters are not installed"
		llvm_profdata=
	fi
fi

seq 1 30000 > in
gzip -n -k in

# arguments NAME: the program's arguments, in a directory below $work.
arguments() {
	case $1 in
	enough) echo "40 7 15" ;;
	gun) echo "-t ../in.gz" ;;
	gzjoin) echo "../in.gz ../in.gz" ;;
	zran) echo "../in.gz 70000" ;;
	esac
}

# compile NAME COMPILER FLAG...: ./NAME
compile() {
	local name=$1 compiler=$2
	shift 2
	case $name in
	json)
		case $compiler in
		gcc) compiler=g++ ;;
		clang) compiler=clang++ ;;
		esac
		$compiler -w -g "$@" "$real/json.cc" -o json
		;;
	stb) $compiler -w -g "$@" "$real/stb.c" -o stb -lm ;;
	# Without TEST, zran is a library.
	*) $compiler -w -g -DTEST "$@" "$examples/$name.c" -o "$name" -lz ;;
	esac
}

# record NAME: its output and the counts of its calls.
record() {
	# shellcheck disable=SC2046 # arguments are words
	"$CTPROF" record -q -o run.ctp -- "./$1" $(arguments "$1") \
		> printed 2> said &&
	"$CTPROF" stats -q --json --names=mangled -o stats.json run.ctp
}

# For each of these, the program runs a second time and must print the same.

by_callgrind() {
	# shellcheck disable=SC2046
	valgrind -q --tool=callgrind --dump-instr=yes --compress-strings=no \
		--compress-pos=no --callgrind-out-file=counts \
		"./$1" $(arguments "$1") > printed.again 2> said.again
}

# gcc may do two things with counters that it may not do with hooks: inline
# functions before it inserts counters, and omit calls of functions without side
# effects. Options forbid both.
by_gcov() {
	mkdir gcov
	# shellcheck disable=SC2046
	(cd gcov && compile "$1" gcc "-O$2" --coverage -fno-early-inlining \
		-fno-ipa-pure-const) &&
	"gcov/$1" $(arguments "$1") > printed.again 2> said.again &&
	(cd gcov && gcov --json-format --stdout ./*.gcda) > counts \
		2> gcov.said &&
	gcov-dump gcov/*.gcno > notes
}

by_llvm() {
	mkdir llvm
	# shellcheck disable=SC2046
	(cd llvm && compile "$1" clang "-O$2" -fprofile-instr-generate \
		-fcoverage-mapping) &&
	LLVM_PROFILE_FILE=$PWD/raw "llvm/$1" $(arguments "$1") \
		> printed.again 2> said.again &&
	"$llvm_profdata" merge raw -o merged &&
	"$llvm_profdata" show --all-functions --counts merged > counts
}

# compare NAME COMPILER LEVEL METHOD, in a separate directory.
compare() {
	local what="$1, $2 -O$3, as $4 counts"
	mkdir "$1.$2.$3.$4" && cd "$1.$2.$3.$4" || return 1
	if compile "$1" "$2" "-O$3" -finstrument-functions && record "$1" &&
		"by_$4" "$1" "$3" && cmp printed printed.again &&
		"$python" "$srcdir/tests/lib/instrument/third_party_counts.py" \
			"$PWD/$1" "$4"
	then
		echo "ok $what"
	else
		echo "not ok $what"
	fi > result 2>&1
	cat result
	cd .. && rm -rf "$1.$2.$3.$4"
}

# wanted NAME COMPILER LEVEL METHOD: is it to run, perhaps by default? Compilers
# take half a minute for the C++ library at -O2.
wanted() {
	case $1 in
	stb) [ -f /usr/include/stb/stb_image.h ] || return 1 ;;
	json) [ -f /usr/include/nlohmann/json.hpp ] || return 1 ;;
	*) [ -f "$examples/$1.c" ] || return 1 ;;
	esac
	if [ "$4" = llvm ] && [ -z "$llvm_profdata" ]; then
		return 1
	fi
	[ -z "${REAL_ALL:-}" ] || return 0
	case $* in
	json\ gcc\ 0\ callgrind) return 0 ;;
	*\ gcc\ 0\ gcov | stb\ clang\ 2\ llvm) return 1 ;;
	stb\ * | enough\ *) return 0 ;;
	esac
	return 1
}

for package in "stb/stb_image.h libstb-dev" \
	"nlohmann/json.hpp nlohmann-json3-dev" "zlib.h zlib1g-dev"; do
	[ -f "/usr/include/${package% *}" ] ||
		echo "left out: ${package#* } is not installed"
done
for name in json stb enough example gun gzjoin zran; do
	for compiler in $compilers; do
		case $compiler in
		gcc) methods="0:callgrind 0:gcov 2:gcov" ;;
		clang) methods="0:callgrind 2:llvm" ;;
		esac
		for method in $methods; do
			set -- "$name" "$compiler" "${method%:*}" "${method#*:}"
			wanted "$@" || continue
			while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
				wait -n
			done
			(compare "$@") >> results &
		done
	done
done
wait
[ -s results ] || skip "libstb-dev, nlohmann-json3-dev and zlib's examples"
cat results
! grep -q '^not ok' results
