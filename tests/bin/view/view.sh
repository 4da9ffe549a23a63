#!/bin/sh
# SPDX-License-Identifier: MIT
# `ctprof view` makes a page that only its user can read, opens it, and serves
# it while its files change.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

printf 'main 10\nmain;leaf 20\n' >"$work/x.folded"
unset DISPLAY WAYLAND_DISPLAY BROWSER
mkdir "$work/run" "$work/tmp"
export XDG_RUNTIME_DIR="$work/run" TMPDIR="$work/tmp"
page=$("$CTPROF" view "$work/x.folded") || complain "without a display: failed"
case $page in
"$work"/run/ctprof-*.html) ;;
*) complain "the page is elsewhere: $page" ;;
esac
[ "$(stat -c %a "$page")" = 600 ] || complain "others can read the page"
grep -q '^</html>' "$page" || complain "no page"
XDG_RUNTIME_DIR='' "$CTPROF" view "$work/x.folded" >"$work/out"
grep -q "^$work/tmp/ctprof-" "$work/out" || complain "not in TMPDIR"
XDG_RUNTIME_DIR="$work/none" "$CTPROF" view "$work/x.folded" 2>"$work/err"
[ $? = 5 ] && grep -q 'none/.*: cannot create: ' "$work/err" ||
	complain "no directory: $(cat "$work/err")"

# The browser gets the address; a list has the first one.
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$1" >"%s"\n' "$work/opened" >"$work/opener"
chmod +x "$work/opener"
page=$(DISPLAY=:0 BROWSER="$work/opener:other" "$CTPROF" view "$work/x.folded")
wait_until [ -s "$work/opened" ] || complain "no browser was started"
[ "$(cat "$work/opened")" = "$page" ] || complain "another page was opened"
rm "$work/opened"
DISPLAY=:0 BROWSER="$work/opener" "$CTPROF" view --no-open "$work/x.folded" \
	>/dev/null
[ ! -e "$work/opened" ] || complain "--no-open: opened"
DISPLAY=:0 BROWSER="$work/none" "$CTPROF" view "$work/x.folded" \
	>/dev/null 2>"$work/err" || complain "no browser: failed"
grep -q 'cannot run .*none: No such file' "$work/err" ||
	complain "no browser: $(cat "$work/err")"

rm -f "$work"/run/*
"$CTPROF" view "$work/none" 2>/dev/null
[ $? = 3 ] || complain "no input: another status"
"$CTPROF" view --follow "$work/none" 2>/dev/null
[ $? = 3 ] || complain "no input to follow: another status"
"$CTPROF" view --follow - 2>/dev/null
[ $? = 2 ] || complain "standard input is followed"
"$python" "$srcdir/tests/bin/view/view_check.py" "$CTPROF" "$work" || failed=1
set -- "$work"/run/ctprof*
[ ! -e "$1" ] || complain "a file stays: $1"
exit $failed
