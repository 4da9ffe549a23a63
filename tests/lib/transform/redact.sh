#!/bin/bash
# SPDX-License-Identifier: MIT
# A program whose directory, source, name, arguments and threads are secrets is
# recorded and redacted: no secret is left in any written format, nor in any
# report of these.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need_loadable_library
CTPROF_SPOOL=$work
export CTPROF_SPOOL

home=$work/home/SecretUser/SecretDirectory
mkdir -p "$home" "$work/out"
cat >"$home/SecretSource.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>

static void *work(void *argument)
{
	return argument;
}

int main(void)
{
	pthread_t thread;

	(void)pthread_setname_np(pthread_self(), "SecretThread");
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	(void)pthread_setname_np(thread, "SecretWorker");
	return pthread_join(thread, NULL);
}
END
${CC:-cc} -g -w -pthread -finstrument-functions -Wl,--build-id \
	-o "$home/SecretProgram" "$home/SecretSource.c" || exit 99
cd "$home" || exit 99
for option in --quiet --no-symbolize; do
	"$CTPROF" record -q $option -o "$work/out/secret$option.ctp" -- \
		./SecretProgram SecretArgument --file=SecretDirectory/SecretFile ||
		complain "cannot record with $option"
done
cd "$work/out" || exit 99
"$CTPROF" merge -q -o secret--merged.ctp secret--quiet.ctp \
	secret--no-symbolize.ctp || complain "cannot merge"

# The secrets, all of which are there before.
host=$(uname -n)
build=$(readelf -n "$home/SecretProgram" 2>/dev/null |
	sed -n 's/.*Build ID: //p')
printf '%s\n' Secret "${work##*/}" >secrets
[ ${#host} -lt 3 ] || printf '%s\n' "$host" "${host%%.*}" >>secrets
[ -z "$build" ] || printf '%s\n' "$build" >>secrets
"$CTPROF" convert -q -t chrome --force secret--quiet.ctp -o before.json
gzip -dc secret--quiet.ctp | cat - before.json >before
for word in SecretUser SecretDirectory SecretSource.c SecretProgram \
	SecretThread SecretArgument SecretFile "$host" "${work##*/}"; do
	grep -aqF -- "$word" before || complain "$word is not recorded"
done

# silent WHAT FILE: unpacked if it is compressed.
silent() {
	if gzip -dcf -- "$2" | grep -aoF -f secrets >found; then
		complain "$1: $(sort -u found | tr '\n' ' ')"
	fi
}

formats=$("$CTPROF" formats --json | tr '{' '\n' |
	sed -n 's/.*"name": *"\([^"]*\)".*"writes": *true.*/\1/p')
case $formats in
*pstats*) ;;
*) complain "no list of formats: $formats" ;;
esac
for input in --quiet --no-symbolize --merged; do
	"$CTPROF" cut -q --redact "secret$input.ctp" -o "redacted$input.ctp" ||
		complain "cannot redact $input"
	silent "log $input" "redacted$input.ctp"
	for format in $formats; do
		for from in "cut --redact secret" "convert redacted"; do
			# shellcheck disable=SC2086
			if "$CTPROF" ${from% *} -q --force -t "$format" \
				"${from##* }$input.ctp" -o to.out 2>said; then
				silent "$from$input to $format" to.out
			elif [ "$format" != svg ] ||
				command -v gprof2dot >/dev/null; then
				complain "$from$input to $format: $(cat said)"
			fi
		done
	done
done

# Reports: their text, their JSON and their pages.
"$CTPROF" convert -q redacted--quiet.ctp -o redacted.json
for input in redacted--quiet.ctp redacted--no-symbolize.ctp \
	redacted--merged.ctp redacted.json; do
	for report in info stats "stats --callers" phases gaps kernels \
		"diff redacted--quiet.ctp" "check redacted--quiet.ctp"; do
		for json in "" --json; do
			# shellcheck disable=SC2086
			"$CTPROF" $report $json $input >to.out 2>&1
			[ -s to.out ] || complain "$report $input: nothing"
			silent "$report $json $input" to.out
		done
	done
	"$CTPROF" report -q --force $input -o page.html ||
		complain "no page of $input"
	silent "report $input" page.html
done
"$CTPROF" stats redacted--quiet.ctp | grep -q 'work' ||
	complain "names of functions are gone"
exit $failed
