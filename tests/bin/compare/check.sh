#!/bin/sh
# SPDX-License-Identifier: MIT
# The regression gate: its exit status, its limits, and its messages about
# noise.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# expect STATUS PATTERN ARGUMENT...: the words are on either stream.
expect() {
	wanted=$1
	pattern=$2
	shift 2
	"$CTPROF" check "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	[ $status -eq "$wanted" ] || complain "$*: status $status, not $wanted"
	grep -q -e "$pattern" "$work/out" || complain "$*: $(cat "$work/out")"
}

# run FILE F G H: a profile in which these took that many microseconds.
run() {
	printf 'f %d000\ng %d000\nh<&"x" %d000\n' "$2" "$3" "$4" \
		>"$work/$1.folded"
}

run base 1000 1000 5
run same 1000 1040 5
run slow 1000 1060 5
run fast 900 900 5
run long 1000 1000 50
run none 1000 0 5
printf 'f 1000000\nnew 1000000\n' >"$work/other.folded"
mkdir "$work/noise"
"$python" "$srcdir/tests/bin/compare/check_noise.py" "$CTPROF" "$work/noise" \
	"$srcdir/tests/bin/compare/check/cindex_noise.tsv" || complain "measured noise"
cd "$work" || exit 99
base=base.folded

expect 0 'slower than allowed: 0$' $base same.folded
expect 1 '^slower .*+6.00 *5%  g$' $base slow.folded
expect 0 'slower than allowed: 0$' $base fast.folded
expect 1 '^slower .*+900.00 *5%  h' $base long.folded --max-regression 5%
expect 1 '' --max-regression 3% $base same.folded
expect 0 '' --max-regression 6% $base slow.folded
expect 0 '^passed .* 150%  g$' --all --max-regression 150% $base same.folded
expect 1 '^slower .*+900.00 *899.5%  h' --max-regression 899.5% $base \
	long.folded
expect 0 '"allowed_ppm":9000000,' --json --max-regression 900% $base \
	long.folded
expect 0 '' --max-regression=60us $base slow.folded
expect 1 '' --max-regression=59us $base slow.folded
expect 0 'without a limit: 4' --max-regression=off $base slow.folded
expect 0 'Too short: 3' --min-time 2ms $base slow.folded
expect 1 'Too short: 1' --min-time 100us --figure self $base slow.folded
expect 0 'added: 1, removed: 2$' --min-time 0 $base other.folded
expect 0 '^passed .*  f$' --all $base same.folded
expect 0 '^short .*  h' --all $base same.folded
expect 0 '^(3 more; see --top)$' --all --top 1 $base same.folded
expect 1 '^(1 more; see --top)$' -n 1 --max-regression 1% $base same.folded
expect 0 '"truncated":true,' --json --all --top 3 $base same.folded
expect 0 '"truncated":false,' --json --all --top 4 $base same.folded
expect 0 '' --csv --all --top 2 $base same.folded
[ "$(wc -l <out)" = 3 ] || complain "--csv --top 2: $(cat out)"
expect 2 '--max-regression' --max-regression 5x $base same.folded
expect 2 '--max-regression' --max-regression 5 $base same.folded
expect 2 '--max-regression' --max-regression 429497% $base same.folded
expect 2 '--min-time' --min-time many $base same.folded
expect 2 'two inputs' $base
expect 3 'cannot open' $base nothing
: >empty.folded
expect 3 'empty' $base empty.folded
printf 'x 1000\n' >alien.folded
expect 3 'nothing to compare' $base alien.folded

# Files of limits: the first line counts, and errors have their line.
printf '# ours\n\n 7%%\tg\n2%% f\noff *\n' >limits
expect 0 '' --limits limits $base slow.folded
printf '5%% g\n50%% *\n' >limits
expect 1 '' --limits limits $base slow.folded
printf '9%% g\n2%% (all functions)\n' >limits
expect 1 '^slower .* 2%  (all functions)$' --limits limits $base slow.folded
printf '9%% nobody\n' >limits
expect 1 "limits:1: pattern 'nobody' never applies" \
	--limits limits $base slow.folded
printf '5 %% g\n' >limits
expect 3 "limits:1: '5' is not a share" \
	--limits limits $base same.folded
printf '5%% g\n\n5 g\n' >limits
expect 3 "limits:3: '5' is not a share" --limits limits $base $base
printf '5%% g\n\n5us g\n%%5 f\n' >limits
expect 3 "limits:4: '%5' is not a share" --limits limits $base $base
printf '5%% g\n7%%\n' >limits
expect 3 "limits:2: no name after '7%'" --limits limits $base $base
printf '5%% g\n7%% \000f\n' >limits
expect 3 'limits:2: contains a zero byte' --limits limits $base $base
expect 3 'cannot open' --limits "$work/no" $base $base
expect 3 '' --limits "$work" $base $base

# Several runs: a change over the limit may be noise; it is not if the runs
# agree.
for i in 1 2 3 4 5; do
	run base$i 1000 $((1000 + (i * 7 % 5 - 2) * 40)) 5
	run noisy$i 1000 $((1070 + (i * 8 % 5 - 2) * 40)) 5
	run slow$i 1000 $((1400 + (i * 8 % 5 - 2) * 40)) 5
done
expect 0 '^noise .* 1.000  0.040 .* 1.070  0.040 .*+7.00 *5%  g$' \
	--runs base?.folded -- noisy?.folded
expect 0 'within the noise: 1 (use more runs)$' \
	--runs base?.folded -- noisy?.folded
expect 1 '^slower .* 1.000  0.040 .* 1.400  0.040 .*+40.00 *5%  g$' \
	--runs base?.folded -- slow?.folded
# Two runs show nothing about noise.
expect 1 '^slower .* g$' --runs base1.folded base3.folded -- \
	noisy1.folded noisy4.folded

# The comparison is in the file for the server, whatever goes to stdout.
expect 1 '"verdict":"slower"' --json --junit out.xml --min-time 0 \
	$base slow.folded
expect 5 'exists' --junit out.xml $base slow.folded
expect 1 '^"h.*,passed,50000,,' --csv --force --junit out.xml --min-time 0 \
	$base slow.folded
"$python" - out.xml <<'EOF' || complain "out.xml: not as it should be"
import sys
import xml.etree.ElementTree as tree

suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
cases = {case.get("name"): case for case in suite}
assert set(cases) == {"(all functions)", "f", "g", 'h<&"x"'}, cases.keys()
assert suite.get("tests") == "4" and suite.get("failures") == "1"
assert [name for name in cases if cases[name].find("failure") is not None] \
    == ["g"]
message = cases["g"].find("failure").get("message")
assert message == "+6.00 %, allowed is 5%: 1.000 ms, now 1.060 ms", message
assert cases["g"].get("time") == "0.001060000"
EOF
for style in --json --csv; do
	"$CTPROF" check "$style" --all $base slow.folded >one
	"$CTPROF" check "$style" --all $base slow.folded >two
	cmp -s one two || complain "$style: not the same twice"
	[ -s one ] || complain "$style: empty"
done
exit $failed
