#!/bin/bash
# SPDX-License-Identifier: MIT
# Outputs in directories to which others may write: files of others there are
# not followed, and do not determine the mode, content or place of an output.
# The kernel's own protection is switched off if we may do so, as some systems
# have it.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
races=$srcdir/tests/bin/cli/public_directory_race.py
export LC_ALL=C
umask 022
protections=/proc/sys/fs/protected_

# The previous values: lines of "NAME VALUE".
restore() {
	while read -r name value; do
		[ "$(cat "$protections$name")" = "$value" ] ||
			echo "$value" >"$protections$name"
	done <"$work/protections"
	rm -rf "$work"
}

# Another run of this waits: each restores the values that it found.
if [ "$(id -u)" = 0 ] && exec 9<"${protections}symlinks" && flock 9; then
	for name in symlinks regular fifos; do
		echo "$name $(cat $protections$name)"
	done >"$work/protections"
	trap restore EXIT
	trap 'exit 99' INT TERM HUP
	while read -r name value; do
		[ "$value" = 0 ] || echo 0 2>/dev/null >"$protections$name" ||
			echo "# $protections$name cannot be switched off"
	done <"$work/protections"
fi
cd "$work" || exit 99
mkdir public
chmod 1777 public
"$CTPROF" record -q -o run.ctp -- "$CLI_PROGRAM" || exit 99
printf 'main;f 10\n' >in.folded

# expect STATUS COMMAND...: runs it; out and err have its output.
expect() {
	local want=$1 got=0
	shift
	what="$*"
	timeout 60 "$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$want" ] ||
		complain "$what: status $got, not $want: $(cat err)"
}

says() {
	grep -qF -- "$1" err || complain "$what: said '$(cat err)', not '$1'"
}

# ends NAME: ends a case, of which all parts must have passed.
ends() {
	[ $failed -gt "$before" ] || echo "ok $1"
	before=$failed
}
before=0

# foreign PATH: gives it to another user; false if we may not.
foreign() {
	[ "$(id -u)" = 0 ] && chown -h 65534:65534 "$1" 2>/dev/null
}

skip_case() {
	echo "skipped ${1// /-}: only root can give a file away"
}

# overwrites PATH MODE: --force makes this a file of ours with that mode.
overwrites() {
	local got
	expect 0 "$CTPROF" convert -q in.folded --force -o "$1"
	got=$(stat -c '%u %a' "$1")
	[ "$got" = "$(id -u) $2" ] || complain "--force on $1: has $got, not $2"
}

for mode in 600 640 777 4755 2777 6777 1777; do
	: >public/ours.dot
	chmod "$mode" public/ours.dot
	overwrites public/ours.dot "$(printf %o $((0$mode & 0777)))"
	rm public/ours.dot
done
ends "a file's own mode is kept, without set-uid"
if : >public/planted && foreign public/planted; then
	for mode in 600 4777 6755; do
		: >public/planted.dot
		foreign public/planted.dot
		chmod "$mode" public/planted.dot
		overwrites public/planted.dot 644
		rm public/planted.dot
	done
	ends "another user's file leaves no mode"
else
	skip_case "another user's file leaves no mode"
fi

echo "all that I know" >victim
cp victim kept
ln -s "$work/victim" public/link.dot
if foreign public/link.dot; then
	ln -s "$work/none" public/none.dot
	ln -s /dev/null public/device.dot
	foreign public/none.dot
	foreign public/device.dot
	for name in link none device; do
		expect 5 "$CTPROF" convert in.folded --force -o public/$name.dot
		says "public/$name.dot: is a symbolic link of another user and is not followed; remove it, or write to another file"
		expect 5 "$CTPROF" stats run.ctp --force -o public/$name.dot
	done
	cmp -s victim kept || complain "a file of ours was overwritten"
	[ ! -e none ] || complain "a file appeared"
	ends "another user's link is not followed"
else
	skip_case "another user's link is not followed"
fi

"$python" "$races" "$CTPROF" in.folded victim public ||
	complain "a pipe that becomes a link"
cmp -s victim kept || complain "a pipe became a link: the file is overwritten"
cp kept victim
ends "a pipe that becomes a link is not followed"

mkfifo pipe
expect 3 "$CTPROF" repair pipe
says "pipe: is not a file"
ends "repair of a pipe does not wait"

# Names of outputs, from names of inputs.
odd=$'e\x1b[31m\nx\x7f\xc2\x9by'
cp in.folded "$odd.folded"
cp in.folded ...folded
mkdir parts
expect 0 "$CTPROF" convert -q -t dot -o parts/ "$odd.folded" ...folded
[ -s 'parts/e%1B[31m%0Ax%7F%C2%9By.dot' ] || complain "names: $(ls -b parts)"
[ "$(find parts -type f | wc -l)" = 2 ] || complain "names: $(ls -bA parts)"
[ -s parts/%2E..dot ] || complain "the name of a place: $(ls -bA parts)"
mkdir twins
cp in.folded $'twins/a\n.folded'
cp in.folded twins/a%0A.folded
expect 2 "$CTPROF" convert -q -t dot -o same/ $'twins/a\n.folded' twins/a%0A.folded
says "same/a%0A.dot: is the output of more than one input"
[ ! -e same/a%0A.dot ] || complain "one of two was overwritten"
ends "outputs named like inputs"

mkdir -p deep/inner
for rank in ../up /abs .. $'a\nb'; do
	RANK=$rank CTPROF_OUT=$work/deep/inner/%r.ctp "$CLI_PROGRAM" >/dev/null
done
[ "$(find deep -type f | wc -l)" = "$(find deep/inner -maxdepth 1 -type f | wc -l)" ] ||
	complain "a rank is a path: $(find deep)"
[ "$(find deep/inner -name '*.ctp' | wc -l)" -ge 4 ] ||
	complain "logs of ranks: $(ls -b deep/inner)"
[ ! -e deep/inner/$'a\nb.ctp' ] || complain "a control character in a name"
ends "a rank is no path"
exit $failed
