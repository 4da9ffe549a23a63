#!/bin/bash
# SPDX-License-Identifier: MIT
# The estimated cost of recording: record, info, stats and report print the same
# line, from the facts of the log.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
cd "$work" || exit 99

# make_cost_log RANGE_PS STALL_NS: f for 20 ms, which calls g twice for 1 ms.
make_cost_log() {
	"$build/tests/support/make_log" /dev/stdin >run.ctp <<-END
		[0, {'format': 'ctprof log', 'reader': 1, 'pid': 7, 'clock': 'tsc', 'range_ps': $1}]
		[2, 1, 0, 7, '']
		[1, 1, [['f', '', 0], ['g', '', 0]]]
		[3, 1, 0, 0, [0, 1000000, 1000000, 1000000, 1000000, 16000000], [], [1, 2], [2, 3, 0, 3, 0, 0], []]
		[6, {'log': 20000000, 'events': 6, 'blocks': 4, 'stalls': 1, 'stall_ns': $2}]
	END
}

# shown LINE: all commands show this line; none of them a cost without it.
shown() {
	"$CTPROF" info run.ctp >info 2>err || complain "info fails"
	sed -n 's/^  cost  *//p' info >from_info
	"$CTPROF" stats run.ctp 2>from_stats >out || complain "stats fails"
	"$CTPROF" report --force -o page.html run.ctp 2>err ||
		complain "report fails"
	sed -n '/"schema":"ctprof.page/,/^<.script>/p' page.html |
		grep -v '^</script>' >page.json
	"$python" -c '
import json
for line in json.load(open("page.json"))["inputs"][0]["cost"]:
    if "waited" not in line:
        print(line)' >from_report
	cp run.ctp copy
	"$CTPROF" record --force -o run.ctp -- \
		sh -c 'sleep 0.01; cat copy >run.ctp' 2>said
	sed -n 's/^ctprof: run.ctp: recording/recording/p' said >from_record
	printf '%s' "${1:+$1
}" >wanted
	for place in from_info from_report from_record; do
		cmp -s wanted $place || complain "$place: $(cat $place)"
	done
	sed 's/^/ctprof: run.ctp: /' wanted | cmp -s - from_stats ||
		complain "stats: $(cat from_stats)"
}

cure="record less: the flags of 'ctprof cflags', --exclude, --min-ns, --policy"

# 3 ranges and the waits are 4 of 20 ms; g's calls cost 2 of (2 + 2 / 2) ms.
make_cost_log 1000000000 1000000
shown "recording took about 20 % of the time of functions (3 ranges at \
1000000 ns, waits of 1.0 ms), and 67 % of that of g; $cure"
grep -q 'note  *threads waited 1.0 ms for the log to be written, and' info ||
	complain "info: no waits: $(cat info)"
grep -q '"cost":\["threads waited 1.0 ms for' page.html ||
	complain "report: no waits"

# A function alone: 3 * 0.4 of 20 ms, but 0.8 of (2 + 0.4) ms.
make_cost_log 400000000 0
shown "recording took about 6 % of the time of functions (3 ranges at \
400000 ns), and 33 % of that of g; $cure"
grep -q 'threads waited' info page.json && complain "waits of 0 are shown"

# Less than a tenth of either; too short a time; a log of another version.
make_cost_log 100000000 0
shown ""
make_cost_log 24000 500000
shown ""
grep -q 'note  *threads waited 500.0 us' info || complain "short waits: $(cat info)"
make_cost_log 0 0
shown ""

# The recorder measures it, unless times are counted events.
sanitized || {
	"$CTPROF" record -q -o own.ctp -- "$CLI_PROGRAM" || complain "record"
	"$CTPROF" info own.ctp | grep -qE '^  range_ps +[1-9][0-9]{3,}$' ||
		complain "the log has no cost of a range"
	"$CTPROF" convert own.ctp -o again.ctp && "$CTPROF" info again.ctp |
		grep -qE '^  range_ps +[1-9]' || complain "a copy has no cost"
	"$CTPROF" record -q --clock=events -o events.ctp -- "$CLI_PROGRAM"
	"$CTPROF" info events.ctp | grep -q range_ps &&
		complain "counted events cost time"
}
exit $failed
