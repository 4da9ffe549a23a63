#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs `make check` in $BUILD and ends with one line of counts over all test
# cases: "N passed, N failed, N skipped". Each skip prints its reason.
#
# A Check program counts as its cases, and so does one that prints them as Check
# does, with a line for each case that it skips; any other test counts as one.
set -u
build=${BUILD:?}
cd "$build" || exit 99
# One job more than processors, because some tests wait most of the time. TESTS
# names some of the tests, TEST_CFLAGS the flags to compile their programs with.
make -k -j"$(($(nproc) + 1))" check ${TESTS:+"TESTS=$TESTS"} \
	${TEST_CFLAGS:+"CFLAGS=$TEST_CFLAGS"} >check.out 2>&1
status=$?
passed=0
failed=0
skipped=0

# "100%: Checks: 12, Failures: 0, Errors: 0" in a Check program's log.
count_cases() {
	counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$1" 2>/dev/null)
	[ -n "$counts" ] || return 1
	while read -r checks failures errors; do
		passed=$((passed + checks - failures - errors))
		failed=$((failed + failures + errors))
	done <<EOF
$counts
EOF
}

# "skipped NAME: why" in the log of what skips cases of its own.
count_skipped() {
	grep -h '^skipped [^ ]*: ' "$1" 2>/dev/null | wc -l
}

while read -r result name; do
	case $result in
	PASS:)
		count_cases "${name%.sh}.log" || passed=$((passed + 1))
		skipped=$((skipped + $(count_skipped "${name%.sh}.log")))
		;;
	SKIP:) skipped=$((skipped + 1)) ;;
	FAIL: | ERROR: | XPASS:)
		before=$failed
		count_cases "${name%.sh}.log"
		[ "$failed" -gt "$before" ] || failed=$((failed + 1))
		;;
	esac
done <<EOF
$(grep -E '^(PASS|SKIP|FAIL|ERROR|XPASS): ' check.out)
EOF

grep -E '^(FAIL|ERROR|XPASS): ' check.out | while read -r _ name; do
	echo "--- $name failed:"
	tail -n 60 "${name%.sh}.log" 2>/dev/null ||
		tail -n 60 "$name.log"
done
grep -E '^SKIP: ' check.out | while read -r _ name; do
	printf 'skipped %s: ' "$name"
	grep -h '^skipped: ' "${name%.sh}.log" "$name.log" 2>/dev/null |
		sed 's/^skipped: //' | head -1 | grep . || echo "no reason given"
done
grep -E '^PASS: ' check.out | while read -r _ name; do
	grep -h '^skipped [^ ]*: ' "${name%.sh}.log" 2>/dev/null
done
if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
	tail -n 40 check.out
	failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
