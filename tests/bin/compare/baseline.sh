#!/bin/sh
# SPDX-License-Identifier: MIT
# The runs that a directory keeps for each branch, and comparisons with them.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
cd "$work" || exit 99

# run FILE F G: a profile in which these took that many microseconds.
run() {
	printf 'f %d000\ng %d000\n' "$2" "$3" >"$1.folded"
}

# expect STATUS PATTERN ARGUMENT...
expect() {
	wanted=$1
	pattern=$2
	shift 2
	"$CTPROF" check --baseline store "$@" >out 2>&1 </dev/null
	status=$?
	[ $status -eq "$wanted" ] || complain "$*: status $status, not $wanted"
	grep -q -e "$pattern" out || complain "$*: $(cat out)"
}

# kept BRANCH NUMBER...: these runs are in the directory.
kept() {
	branch=$1
	shift
	[ "$(cd "store/$branch" && ls)" = "$(printf '%s.ctpart\n' "$@" | sort)" ] ||
		complain "$branch: $(ls "store/$branch"), not $*"
}

for i in 1 2 3 4 5 6; do
	run run$i 1000 $((1000 + i * 3 % 5 * 20))
done
run slow 1000 3000
run noisy 1000 1150
expect 3 'has no run of the branch; add one with --save$' run1.folded
[ ! -e store ] || complain "a comparison made the directory"
expect 0 'nothing to compare with yet$' --save run1.folded
expect 0 'slower than allowed: 0' --save run2.folded run3.folded
kept main 1 2 3
# The same as with the runs themselves.
"$CTPROF" check --json --runs run1.folded run2.folded run3.folded -- \
	noisy.folded | sed 's/"inputs":\[[^]]*\]//' >direct.json
"$CTPROF" check --json --baseline store noisy.folded |
	sed 's/"inputs":\[[^]]*\]//' >stored.json
cmp -s direct.json stored.json ||
	complain "another result: $(diff direct.json stored.json)"
kept main 1 2 3

# One run is compared with the spread of the base.
for i in 4 5 6; do
	expect 0 '' --save run$i.folded
done
expect 0 'within the noise: 1' noisy.folded
expect 1 '^slower .*  g$' slow.folded
kept main 1 2 3 4 5 6

# The last runs count; slower ones are kept, too.
expect 1 '^slower .*  g$' --keep 4 --save slow.folded
kept main 4 5 6 7
expect 0 '"base_runs":1,' --keep 1 --json slow.folded
mkdir store/main/9.ctpart.d
touch store/main/x.ctpart store/main/007.ctpart store/main/-1.ctpart
expect 0 '"base_runs":4,' --json run1.folded
rm -r store/main/9.ctpart.d store/main/[x0-]*.ctpart

# Branches have any names, which stay below the directory.
for name in feature/x .. .git 100% '-b'; do
	expect 0 'nothing to compare' --branch "$name" --save run1.folded
	expect 0 'slower than allowed: 0' --branch "$name" run1.folded
done
[ "$(ls -A store | sort | tr '\n' ' ')" = \
	"$(printf '%s\n' feature%2Fx %2E. %2Egit 100%25 -b main | sort |
		tr '\n' ' ')" ] || complain "branches: $(ls -A store)"

# Two processes at a time keep both.
"$CTPROF" check -q --baseline both --save run1.folded >one 2>&1 &
"$CTPROF" check -q --baseline both --save run2.folded >two 2>&1
wait
[ "$(cd both/main && ls | tr '\n' ' ')" = '1.ctpart 2.ctpart ' ] ||
	complain "both: $(ls both/main) $(cat one two)"

# Damaged runs, and inputs that cannot be kept.
expect 3 'cannot open' --save nothing.folded
: >store/main/7.ctpart
expect 3 'store/main/7.ctpart: .*empty' run1.folded
rm store/main/7.ctpart
expect 2 'standard input' --save -
expect 2 'the name is empty' --baseline '' run1.folded
touch file
"$CTPROF" check --baseline file --save run1.folded >out 2>&1
[ $? = 3 ] || [ $? = 5 ] || complain "a file: $?"
grep -q 'file/main: ' out || complain "a file: $(cat out)"
"$CTPROF" check --keep 3 run1.folded run2.folded >out 2>&1 &&
	complain "--keep without --baseline"
grep -q 'are for --baseline' out || complain "--keep: $(cat out)"
exit $failed
