#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that use a GPU, or try to, with the CUDA and CUPTI of
# tests/lib/cupti/fake, in four versions, and with every possible failure. Each
# log is compared with the fake's record of its work:
# tests/lib/cupti/cupti_check.c.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$build/tests/lib/cupti/cupti_program
check=$build/tests/lib/cupti/cupti_check
fake=$build/tests/lib/cupti/fake/.libs
inject=$build/.libs/libctprof-inject.so
# A child may start threads; and LeakSanitizer crashes when it inspects those of
# libraries that are loaded late.
export TSAN_OPTIONS="die_after_fork=0 ${TSAN_OPTIONS-}"
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
cases=0

# case_of WHAT COMMAND...: one case.
case_of() {
	local what=$1
	shift
	cases=$((cases + 1))
	rm -rf "${work:?}"/*
	if "$@"; then
		echo "ok $what"
	else
		echo "not ok $what"
		failed=$((failed + 1))
	fi
}

# said FILE...: prints them, and fails.
said() {
	sed 's/^/    /' "$@" | head -40
	return 1
}

# runs MODE...: the program ends by itself, as it would without us. The fake
# aborts it at calls that would hang or crash; if it hangs, it is stopped.
runs() {
	local got=0
	env CTPROF_OUT="$work/run.ctp" GPU_OUT="$work/again" CTPROF_SPOOL="$work" \
		CTPROF_GPU="${gpu-light}" FAKE_TRUTH="$work/truth" \
		CUDA_INJECTION64_PATH="$inject" \
		CTPROF_CUPTI_LIB="${cupti-$fake/libcupti.so.13}" \
		LD_LIBRARY_PATH="$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		timeout 50 "$program" "$@" >"$work/out" 2>"$work/err" || got=$?
	[ -e "$work/truth" ] || : >"$work/truth"
	[ "$got" = "${status-7}" ] && [ ! -s "$work/err" ] && return
	echo "    $*: status $got"
	said "$work/out" "$work/err"
}

# agrees: the log agrees with the fake's record.
agrees() {
	"$check" "$work/truth" "$(cat "$work/out")" "$work/run.ctp" \
		>"$work/told" && return
	said "$work/told"
}

# tells LINE: the recording has this line.
tells() {
	grep -q -- "^$1\$" "$work/told" && return
	echo "    there is no line: $1"
	said "$work/told"
}

# calls COUNT CALL: CUPTI's CALL was called COUNT times.
calls() {
	local got
	got=$(grep -c "\"call\":\"$2\"" "$work/truth")
	[ "$got" = "$1" ] && return
	echo "    $2 was called $got times, not $1"
	return 1
}

# records MODE...: its work is recorded without errors.
records() {
	runs "$@" && agrees && tells "fact gpu.state recording" &&
		calls 0 cuptiFinalize && calls 0 cuptiEnableDomain &&
		calls 0 cuptiActivityPushExternalCorrelationId &&
		calls 0 cuptiActivityRegisterTimestampCallback
}

# refused COUNT: COUNT launches are reported as failed.
refused() {
	"$CTPROF" convert -qt chrome -o "$work/json" "$work/run.ctp" &&
		[ "$(grep -c '"return":700' "$work/json")" = "$1" ] ||
		said "$work/told"
}

# gives_up REASON: the log has nothing of the GPU except REASON, and all the
# rest.
gives_up() {
	agrees && tells "fact gpu.state off: $1" && tells "count activities 0"
}

for version in 11.8 12.4 13.0 99; do
	export FAKE_CUPTI=$version
	nested() {
		records nested && tells "count activities 10" &&
			tells "count unmatched 0" && tells "count devices 1"
	}
	case_of "$version: ten kernels in nested ranges" nested
	kinds() {
		records kinds && tells "count devices 2" && refused "$1"
	}
	case_of "$version: all that there are records of" kinds 1
	gpu=full case_of "$version: all, and each call" kinds 3
	troubles() {
		records troubles && tells "lost device_times 6" &&
			tells "lost device_unfinished 3" &&
			tells "count unmatched 3"
	}
	case_of "$version: records without times, without an end, of no call" \
		troubles
	case_of "$version: a graph" records graph 10 20
	wholes() {
		records graph 10 20 && tells "count activities 20" &&
			tells "count unmatched 0" &&
			tells "fact gpu.mode graphs"
	}
	gpu=graphs case_of "$version: a graph's launches as a whole" wholes
done
unset FAKE_CUPTI
# numbered UUID: the device's, in the form of NVIDIA's tools.
numbered() {
	records nested && "$CTPROF" convert -qt chrome -o "$work/json" \
		"$work/run.ctp" && grep -q "\"uuid\":\"$1\"" "$work/json" ||
		said "$work/told"
}
case_of "a device" numbered "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
FAKE_CUDA_PART=" MIG 1g.10gb" case_of "a part of a device" \
	numbered "MIG-00010203-0405-0607-0809-0a0b0c0d0e0f"
case_of "a wait that is new in CUDA 13" records newer
idle() {
	records many 0 && tells "count activities 0" &&
		calls 1 cuptiActivityFlushAll
}
case_of "CUDA is there, and not used" idle
FAKE_CUPTI_VERSION=130000 case_of "the same with CUDA 13.0 GA" idle

# Sanitizers take ten times as long.
sanitized=$(grep -c '^CTP_LDFLAGS = .*-fsanitize' Makefile)
launches=$((sanitized ? 1000 : 10000))
many() {
	records threads "$1" && tells "count activities $((16 * $1))"
}
# However slow the reader is, there are buffers for all.
FAKE_CUPTI_ORDER=reverse FAKE_CUPTI_ROOM=4000 \
	case_of "16 threads, buffers in wrong order" many $launches
FAKE_CUPTI=12.4 case_of "16 threads with one buffer" many 1000
large_graph() {
	records graph 1000 "$1" && tells "count activities $((1000 * $1))" &&
		"$CTPROF" stats --gpu --csv "$work/run.ctp" >"$work/told" &&
		captured
}
# All of the graph's time belongs to the two ranges that captured it.
captured() {
	awk -F, '
		/^"?(even|odd)/ { captured += $NF }
		/^replay/ { launched = $9 }
		END { exit !(launched > 0 && captured == launched) }
	' "$work/told" || said "$work/told"
}
case_of "a graph of 1000 nodes, many times" \
	large_graph $((sanitized ? 20 : 100))
FAKE_CUPTI_ROOM=3 case_of "flushes, and launches of 16 threads" records locks 200
early() {
	records early && tells "count activities 20"
}
case_of "kernels that start before they are launched" early
FAKE_CUPTI_ROOM=1 case_of "another name in a name's place" records unload
dropped() {
	records many 100 && tells "lost device_dropped 14"
}
FAKE_CUPTI_DROP=7 case_of "CUPTI drops some" dropped
# taken COUNT MODE: COUNT records are made before that.
taken() {
	runs "$2" && "$check" "$work/truth" "$(cat "$work/out")" partial \
		"$work/run.ctp" >"$work/told" || said "$work/told" || return
	tells "fact gpu.state off: CUPTI returned no buffer: .*" &&
		tells "count activities $1"
}
FAKE_CUPTI_TAKEN=0 case_of "another tool takes over the buffers" taken \
	0 nested
FAKE_CUPTI_TAKEN=1 case_of "another tool takes over buffers later on" taken \
	8 unload
foreign() {
	records nested && tells "count activities 10" &&
		tells "fact gpu.foreign_buffers 1"
}
silent() {
	runs nested && gives_up "CUPTI reports no launches: .*"
}
FAKE_CUPTI_SILENT=1 case_of "CUPTI does not know the GPU" silent
nothing_launched() {
	records "$@" && tells "fact gpu.state recording" &&
		tells "count activities 0"
}
case_of "the only launch fails" nothing_launched refused
case_of "the only launch is captured, its graph never launched" \
	nothing_launched graph 1 0
FAKE_CUPTI_FOREIGN=1 case_of "a buffer of another tool comes back" \
	foreign
# The good records have been compared. The number of bad ones varies, since a
# flush may come before a buffer is full.
broken() {
	records many 100 && tells "lost device_unknown [12][0-9]"
}
FAKE_CUPTI_ROOM=5 FAKE_CUPTI_BROKEN=1 case_of "invalid records" broken
exhausted() {
	records exhaust && grep -q "^lost device_discarded" "$work/told"
}
FAKE_CUPTI_ROOM=10 case_of "no buffer is left" exhausted

for clock in "" epoch drift; do
	FAKE_CUPTI_ROOM=20 FAKE_CUPTI_CLOCK=$clock \
		case_of "the clock: ${clock:-of the day}" records clock
done
steps() {
	records clock 5 && tells "fact gpu.clock_steps 1"
}
FAKE_CUPTI_ROOM=20 case_of "the clock steps" steps

# Forbidden or missing: subscribers, rights, drivers; and the reasons in the
# log.
off() {
	local reason=$1
	runs nested && gives_up "$reason"
}
of_subscribe() {
	FAKE_CUPTI_SUBSCRIBE=$1 off "$2"
}
case_of "another tool has CUPTI" of_subscribe 39 \
	"another tool uses CUPTI: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS.* (39)"
FAKE_CUPTI_OTHER=Kineto case_of "another tool has CUPTI, and its name" \
	of_subscribe 39 "another tool (Kineto) uses CUPTI: .* (39)"
case_of "no right to profile" of_subscribe 35 \
	"this user may not profile the GPU: .* (35)"
case_of "no driver for CUPTI" of_subscribe 15 ".* (15)"
case_of "CUPTI fails" of_subscribe 999 ".* (999)"
FAKE_CUPTI=10.2 case_of "CUPTI is too old" off "libcupti is too old: .*"
cupti=$work/none.so case_of "no such library" \
	off "cannot load $work/none.so: .*"
FAKE_CUPTI_ENABLE=10:14 case_of "kernels one at a time only" records nested
some_kinds() {
	records kinds && tells "fact gpu.error.SYNCHRONIZATION .*(21)" &&
		tells "fact gpu.error.OVERHEAD .*(21)"
}
FAKE_CUPTI_ENABLE=38:21,17:21 case_of "kinds that there are not" some_kinds

# without LIBRARY FUNCTION...: a libcupti in which these functions have other
# names.
without() {
	local library=$1
	shift
	cp "$fake/libcupti.so.13" "$library"
	for function in "$@"; do
		LC_ALL=C sed -i "s/\x00$function\x00/\x00x${function#?}\x00/g" \
			"$library"
	done
}
lacks_needed() {
	without "$work/libcupti.so.13" cuptiActivityEnable
	cupti=$work/libcupti.so.13 off "libcupti has no cuptiActivityEnable"
}
case_of "a function is missing that is needed" lacks_needed
lacks_optional() {
	without "$work/libcupti.so.13" cuptiSubscribe_v2 cuptiSetThreadIdType \
		cuptiActivityEnableRuntimeApi cuptiActivityEnableDriverApi \
		cuptiActivityEnableAllSyncRecords cuptiActivityFlushPeriod
	cupti=$work/libcupti.so.13 records kinds
}
case_of "functions are missing that are not needed" lacks_optional

# CUPTI's place is not given; it is beside the driver.
finds() {
	cupti='' records nested && tells "fact gpu.cupti $fake/libcupti.so.13.*"
}
case_of "CUPTI is found" finds
# lies DIRECTORY NAME RUNTIME: a program with CUDA's runtime, which is the file
# RUNTIME, uses the CUPTI called NAME in DIRECTORY, which belongs to it, and not
# the one of Triton.
lies() {
	local triton=site/triton/backends/nvidia/lib/cupti
	mkdir -p "$work/$1" "$work/${3%/*}" "$work/$triton" "$work/driver"
	cp "$fake/libcupti.so.13" "$work/$1/$2"
	cp "$fake/libcupti.so.13" "$work/$triton/libcupti.so"
	cp "$build/tests/gpu/.libs/libfloor.so" "$work/$3"
	cp "$fake/libcuda.so.1" "$work/driver"
	local fake=$work/driver
	cupti='' LD_PRELOAD=$work/$3 records nested || return
	[ "$(realpath "$(sed -n 's/^fact gpu.cupti //p' "$work/told")")" = \
		"$(realpath "$work/$1/$2")" ] || said "$work/told"
}
if [ "$sanitized" != 0 ]; then
	echo "skipped beside: a sanitized library cannot be preloaded"
else
	case_of "CUPTI in CUDA 12's package" lies site/nvidia/cuda_cupti/lib \
		libcupti.so.12 site/nvidia/cuda_runtime/lib/libcudart.so.12
	case_of "CUPTI in CUDA 13's package" lies site/nvidia/cu13/lib \
		libcupti.so.13 site/nvidia/cu13/lib/libcudart.so.13
	case_of "CUPTI beside PyTorch" lies site/nvidia/cu13/lib \
		libcupti.so.13 site/torch/lib/libtorch_cuda.so
	case_of "CUPTI beside PyTorch, of CUDA 12" \
		lies site/nvidia/cuda_cupti/lib \
		libcupti.so.12 site/torch/lib/libtorch_cuda.so
	case_of "CUPTI in the toolkit" lies cuda/extras/CUPTI/lib64 \
		libcupti.so.13 cuda/lib64/libcudart.so.13
	case_of "CUPTI in the toolkit, seen from targets" \
		lies cuda/extras/CUPTI/lib64 libcupti.so.13 \
		cuda/targets/sbsa-linux/lib/libcudart.so.13
fi
has_driver() {
	local fake=$work/driver
	mkdir "$fake" && cp "$build"/tests/lib/cupti/fake/.libs/libcuda.so.1 "$fake"
	cupti='' off "libcupti not found.*"
}
if ! ldconfig -p 2>/dev/null | grep -q libcupti &&
	[ ! -e /usr/local/cuda ]; then
	case_of "there is no CUPTI" has_driver
else
	echo "skipped no_CUPTI: here is one"
fi

# unused WHAT: none of this is loaded.
unused() {
	grep -q "\"library\":\"$1\"" "$work/truth" || return 0
	echo "    $1 is loaded"
	return 1
}
uses_none() {
	local threads
	gpu=off runs none && threads=$(cat "$work/again") &&
		runs none && [ "$(cat "$work/again")" = "$threads" ] &&
		unused libcuda && unused libcupti && agrees
}
case_of "a program that does not use CUDA" uses_none
asks_none() {
	runs nested && unused libcupti && agrees && tells "count activities 0"
}
gpu=off case_of "nobody wants to know of the GPU" asks_none

forks() {
	records fork && tells "count activities 10" || return
	set -- "$work"/run.*.ctp
	"$check" /dev/null 1 "$1" >"$work/child" || said "$work/child" || return
	grep -q "^count activities 0$" "$work/child" &&
		grep -q "^fact gpu.state off: CUDA cannot be used after fork" \
			"$work/child" || said "$work/child"
}
case_of "a fork after CUDA is used" forks
resets() {
	records reset && tells "count activities 11" &&
		tells "lost device_unfinished 1"
}
case_of "the device is reset" resets
case_of "a context is destroyed" records context
# Records that were not delivered by then are lost with CUPTI.
dies() {
	runs death && "$check" "$work/truth" 10 partial "$work/run.ctp" \
		>"$work/told" || said "$work/out" "$work/told" || return
	tells "fact gpu.state off: .*fatal driver error.*"
}
case_of "the driver gives up" dies
ended() {
	runs ended && agrees && tells "count activities 5" &&
		tells "fact gpu.state off: CUPTI no longer knows ctprof: .*"
}
case_of "another tool ends CUPTI's work" ended
# leaves RANGES MODE...
leaves() {
	local ranges=$1
	shift
	runs "$@" _exit &&
		"$CTPROF" repair -q --spool="$work" "$work/run.ctp" &&
		"$check" "$work/truth" "$ranges" partial "$work/run.ctp" \
			>"$work/told" || said "$work/told"
}
if grep -q '^CTP_LDFLAGS = .*-fsanitize=thread' Makefile; then
	echo "skipped pthread_exit: ThreadSanitizer has a thread of its own"
else
	status=0 case_of "pthread_exit() in main: our threads do not count" \
		records nested leave
fi
case_of "_exit() without a word" leaves 50 many 50
# Each fills a buffer, and none of them has to wait for the next.
leaves_some() {
	leaves 4 slowly && tells "count activities [1-4]"
}
FAKE_CUPTI_ROOM=1 case_of "records read until _exit()" leaves_some
restarts() {
	runs restart "$1" || return
	"$check" "$work/truth" $(($1 + 1)) partial "$work"/*.ctp >"$work/told" ||
		said "$work/told" || return
	tells "count activities $(($1 + 1))"
}
case_of "100 recordings in one process" restarts 100
FAKE_CUPTI=13.0 FAKE_CUPTI_VERSION=130000 \
	case_of "a version that must not be switched off" restarts 3

# An unmodified program, and the messages to its user.
record() {
	local got=0
	env CTPROF_SPOOL="$work" FAKE_TRUTH="$work/truth" \
		CTPROF_CUPTI_LIB="$fake/libcupti.so.13" \
		LD_LIBRARY_PATH="$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		timeout 50 "$CTPROF" record -o "$work/run.ctp" "$@" \
		>"$work/out" 2>"$work/err" || got=$?
	[ -e "$work/truth" ] || : >"$work/truth"
	[ "$got" = 7 ] && agrees && return
	echo "    $*: status $got"
	said "$work/out" "$work/err"
}
# says COUNT LINE: `ctprof record` has printed this line COUNT times.
says() {
	[ "$(grep -c "^ctprof: .*$2\$" "$work/err")" = "$1" ] && return
	said "$work/err"
}
record_gpu() {
	record --gpu -- "$program" nested && says 0 "GPU.*" &&
		tells "fact gpu.mode light" && tells "count activities 10"
}
record_full() {
	record --gpu=full -- "$program" kinds && says 0 "GPU.*" &&
		tells "fact gpu.mode full" && tells "fact gpu.state recording"
}
record_refused() {
	FAKE_CUPTI_SUBSCRIBE=35 record --gpu -- "$program" nested &&
		says 1 "GPU: off: this user may not profile the GPU: .*" &&
		tells "count activities 0"
}
record_taken() {
	CUDA_INJECTION64_PATH=$1 record --gpu -- "$program" nested &&
		says 1 "GPU: off: CUDA_INJECTION64_PATH is set to $1" &&
		tells "count activities 0"
}
record_nothing() {
	record -- "$program" nested && says 0 "GPU.*" && unused libcupti &&
		tells "count activities 0"
}
comes_late() {
	env GPU_OUT="$work/run.ctp" CTPROF_SPOOL="$work" \
		FAKE_TRUTH="$work/truth" \
		CTPROF_CUPTI_LIB="$fake/libcupti.so.13" \
		LD_LIBRARY_PATH="$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		timeout 50 "$program" late >"$work/out" 2>"$work/err"
	[ ! -s "$work/err" ] || said "$work/err"
}
late() {
	comes_late && agrees && tells "fact gpu.state recording" &&
		tells "count activities 10" &&
		"$CTPROF" convert -qt chrome -o "$work/json" \
			"$work/run.ctp" &&
		grep -q '"stream 7 (default)' "$work/json" ||
		said "$work/told"
}
too_late() {
	comes_late && calls 0 cuptiSubscribe &&
		gives_up "CUDA was already in use: .* 12.0 on"
}
if [ "$sanitized" != 0 ]; then
	echo "skipped ctprof_record: programs cannot load a sanitized library"
else
	case_of "ctprof record --gpu" record_gpu
	case_of "ctprof record --gpu=full" record_full
	case_of "ctprof record --gpu, and it is refused" record_refused
	case_of "ctprof record --gpu, and another tool is to be loaded" \
		record_taken "$work/none.so"
	case_of "ctprof record --gpu, and none is" record_taken none
	case_of "ctprof record without --gpu" record_nothing
	case_of "a recording that begins when CUDA is in use" late
	FAKE_CUPTI=11.8 case_of "the same with a CUPTI that crashes" too_late
	FAKE_CUPTI=12.4 FAKE_CUPTI_VERSION=18 case_of \
		"the same with CUDA 12.0, which says that it is 11.8" late
fi

echo "100%: Checks: $cases, Failures: $failed, Errors: 0"
exit $failed
