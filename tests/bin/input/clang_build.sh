#!/bin/sh
# SPDX-License-Identifier: MIT
# A real build of more than 300 translation units, or BUILD_UNITS (101 and
# more), with clang and the headers of nlohmann/json. ctprof's sums equal those
# of tests/bin/input/clang_build_count.py. Neither these nor the build's profile
# depend on the number of files read at a time. Other files are left out, and
# counted.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
clang=${CLANGXX:-clang++}
export BUILD_UNITS="${BUILD_UNITS:-310}"

need "$clang" "$python"
cd "$work" || exit 99
echo '#include <nlohmann/detail/macro_scope.hpp>' > probe.cc
"$clang" -std=c++11 -fsyntax-only -ftime-trace probe.cc 2> /dev/null ||
	skip "clang, -ftime-trace or the headers of nlohmann/json are missing"
rm -f probe.*

# Most units are small, with templates that some of them share; CI's time is
# scarce.
make_units() {
	unit=0
	while [ "$unit" -lt "$BUILD_UNITS" ]; do
		headers="<nlohmann/detail/macro_scope.hpp>"
		case $unit in
		100) headers="<nlohmann/json.hpp>" ;;
		*5) headers="<nlohmann/detail/meta/cpp_future.hpp>" ;;
		*77) headers="<nlohmann/detail/value_t.hpp>" ;;
		esac
		cat > "src/$((unit % 7))/u$unit.cc" <<END
#include $headers
template <int n> struct set { int sum() const { return n; } };
template <typename type> int sum_of(const type &one) { return one.sum(); }
int of_$unit() { return sum_of(set<$unit>()) + sum_of(set<$((unit % 7))>()); }
END
		unit=$((unit + 1))
	done
}

mkdir -p src/0 src/1 src/2 src/3 src/4 src/5 src/6 out/deep
make_units
(cd src && find . -name '*.cc' | sort | xargs -P 2 -n 16 sh -c '
	compiler=$1
	shift
	for unit; do
		mkdir -p "../out/$(dirname "$unit")"
		"$compiler" -std=c++11 -O1 -c -ftime-trace \
			-ftime-trace-granularity=0 -o "../out/$unit.o" "$unit" ||
			exit 1
	done' compile "$clang") || {
	echo "the build failed"
	exit 1
}
# Files that CMake and npm leave behind, and worse.
"$CTPROF" formats --json > out/formats.json 2> /dev/null || :
echo '[{"directory":"/","command":"cc -c a.c","file":"a.c"}]' \
	> out/compile_commands.json
echo '{"name":"page","dependencies":{}}' > out/deep/package.json
echo '{// no JSON' > out/deep/tsconfig.json
: > out/deep/empty.json
ln -s ../.. out/deep/loop
ln -s ../0/u0.cc.json out/deep/again.json
mkfifo out/deep/pipe.json

for jobs in 1 2 5; do
	"$CTPROF" stats -q -j $jobs --names=mangled --callers --json out \
		> "all$jobs.json" || complain "stats -j $jobs failed"
done
cmp all1.json all2.json && cmp all1.json all5.json ||
	complain "the number of jobs changes the report"
"$CTPROF" stats -q --group=name --json out/ > name.json ||
	complain "stats --group failed"
for report in all1 name; do
	"$python" "$srcdir/tests/bin/input/clang_build_count.py" --whole $report.json out ||
		complain "$report.json: the sums are wrong"
done

# One profile of all: as if each had been converted, and the profiles merged.
"$CTPROF" convert -q -t pstats -j 2 out -o build.pstats &&
	"$CTPROF" convert -q -t pstats -j 1 out/ > one.pstats &&
	cmp build.pstats one.pstats || complain "the profile depends on -j"
find out -name '*.cc.json' -type f -print0 > names
"$CTPROF" convert -q -j 2 -t pstats -o parts/ --files0-from=names &&
	find parts -type f -print0 > parts.names &&
	"$CTPROF" merge -q -o merged.pstats --files0-from=parts.names &&
	"$python" - <<'END' || complain "the profile is not the sum of the files"
import marshal
one, other = (marshal.load(open(name, "rb"))
              for name in ("build.pstats", "merged.pstats"))
# Also the root, which is one however many files there are.
assert one["~", 0, "<all threads>"][:2] == (1, 1)
assert one == other and len(one) > 1000, len(one)
END

"$CTPROF" stats --top 2 out > text 2> said || complain "stats failed"
grep -q "^Translation units: $BUILD_UNITS, " text || complain "units: $(cat text)"
grep -q "out: left out: .*1 empty, 1 symbolic links" said ||
	complain "said: $(cat said)"
exit $failed
