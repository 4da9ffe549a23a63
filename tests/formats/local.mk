# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_convert \
	%D%/test_formats \
	%D%/test_prefixes \
	%D%/test_profile_formats
shell_tests += \
	%D%/consumers.sh \
	%D%/hash_flood.sh \
	%D%/bounded_memory.sh \
	%D%/hostile_names.sh \
	%D%/deep_nesting.sh \
	%D%/profile_readers.sh \
	%D%/viewers.sh
EXTRA_DIST += \
	%D%/consumers.py \
	%D%/hash_flood.py \
	%D%/hostile_names_check.py \
	%D%/profile_readers_callgrind.py \
	%D%/profile_readers_case.py \
	%D%/profile_readers_dot.py \
	%D%/profile_readers_folded.py \
	%D%/profile_readers_gprof.py \
	%D%/profile_readers_gprof2dot.py \
	%D%/profile_readers_pprof.py \
	%D%/profile_readers_seeds.py \
	%D%/profile_readers_speedscope.py \
	%D%/viewers_trace.py \
	%D%/profile_readers
