#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes go down only: bin -> formats -> lib; recording and analysis do not
# include each other, but both may write members of a log (log_write), which is
# of the base; libraries do not print or exit, but where a program is over and
# lasts for us alone. Python's recorder stands on the public header alone; what
# reads logs for Python is in python/convert.
set -u
cd "${srcdir:-.}" || exit 99
failed=0

complain() {
	echo "$1"
	failed=1
}

# "file includes header" for each of these headers' names that one of these
# files includes: headers, then --, then files.
included() {
	names=
	while [ "$1" != -- ]; do
		names="$names${names:+|}$1"
		shift
	done
	shift
	grep -EoH "^#include \"($names)\.h\"" "$@" 2>/dev/null |
		sed 's/:#include "\(.*\)"$/ includes \1/'
}

# The headers of one directory that files of another include.
uses() {
	# shellcheck disable=SC2046
	included $(basename -s .h "$2"/*.h) -- "$1"/*.[ch]
}

for pair in "lib formats" "lib bin" "lib python" "formats bin" \
	"formats python" "bin python" "python bin" "python/convert bin" \
	"python/convert python" "python python/convert"; do
	# shellcheck disable=SC2086
	set -- $pair
	found=$(uses "$1" "$2")
	[ -z "$found" ] || complain "$found (of $2/)"
done

found=$(for directory in lib formats; do uses python $directory; done |
	grep -v ' includes ctprof\.h$')
[ -z "$found" ] || complain "$found"

recording='arena chunk device_link device_load drain emit emit_itt emit_nvtx
	filter functions gpu gpu_buffers gpu_callback gpu_cupti
	gpu_describe gpu_device gpu_drain gpu_find gpu_graph gpu_load
	gpu_record gpu_session gpu_subscribe gpu_table inherit inject
	inject_name inject_thread instrument instrument_link
	instrument_thread itt itt_abi last_thread log_file log_frame
	modules nvtx nvtx_abi options outcome pack pack_column pack_device pack_losses
	pack_private pack_registry pack_row process record region
	registry registry_module registry_private registry_site session
	session_fork session_private shadow spool step thread
	thread_pending unrecorded'
analysis='align annotate augment choose combine combine_private
	combine_table cut cut_async cut_private demangle device_counters
	device_join device_type device_work dtype event event_copy flame_diff
	flame_tree flops flops_attention flops_convolution flops_gemm flops_private
	function_name fx_registry fx_scopes gaps gaps_host gaps_place
	gaps_private gaps_queue gaps_ranges hash held json_check kernels kernels_rate
	launches log_args log_block log_device log_device_args
	log_device_facts log_device_time log_events log_facts log_input
	log_member log_out log_out_device log_out_event log_out_private
	log_out_table log_out_track log_read log_scan log_site log_table
	log_time machine moment op_inputs open_async open_ranges ops ops_key
	ops_private optimize optimize_queue optimize_rank optimize_spans
	overview packed peaks phase_count phase_profile phase_rules phase_sets
	phase_texts phases profile profile_memory profile_private redact redact_text
	replay replay_nodes replay_private replay_use same shares
	shares_private shares_split siphash spill spill_file spill_head
	spill_merge spill_order strtab symbolize symbolize_module
	symbolize_private symbolize_sites symbols symbols_dwarf symbols_elf
	symbols_none symbols_private trace'
# The sources of these names that are there.
sources() {
	for name; do
		for file in lib/"$name".c lib/"$name".h; do
			[ ! -f "$file" ] || echo "$file"
		done
	done
}

# shellcheck disable=SC2046,SC2086
found=$(included $analysis -- $(sources $recording)
	included $recording -- $(sources $analysis))
[ -z "$found" ] || complain "$found"

# What completes a dead recorder's log stands above both.
for other in own_file recover recover_log spool_file; do
	found=$(grep -l "#include \"$other.h\"" lib/*.[ch] |
		grep -vE '^lib/(own_file|recover|recover_log|spool_file)\.[ch]$')
	[ -z "$found" ] || complain "$found includes $other.h"
done

found=$(grep -nE '\b(abort|exit|_exit|printf|perror|puts)\(|fprintf\(stderr' \
	lib/*.[ch] python/*.[ch] python/*/*.[ch] |
	grep -vE 'snprintf|^lib/last_thread\.[ch]:')
[ -z "$found" ] || complain "$found"
found=$(grep -nE '\b(exit|perror|puts)\(|fprintf\(stderr' formats/*.[ch])
[ -z "$found" ] || complain "$found"
# The environment is read by one function, which refuses it where the process has
# rights that its caller has not; Python's extension stands alone and has its own.
found=$(grep -nE '\bgetenv\(|\bsecure_getenv\(|\benviron\b' lib/*.[ch] \
	formats/*.[ch] bin/*.[ch] python/*.[ch] python/*/*.[ch] |
	grep -vE '^(lib/environment\.h|python/children\.c):' |
	grep -vE 'extern char \*\*environ;|, environ\)'
	grep -nE '\benviron\b|getenv' python/ctprof/*.py python/ctprof/*/*.py |
		grep -vE '/(_autostart|_program|sitecustomize)\.py:')
[ -z "$found" ] || complain "$found"
# Numbers in output never depend on the locale.
found=$(grep -nE 'sprintf|strcpy|strcat|\bgets\b|\batoi\b|\bsetlocale' \
	lib/*.c formats/*.c | grep -vE 'v?snprintf|v?asprintf')
[ -z "$found" ] || complain "$found"
exit $failed
