# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_bin_devices
shell_tests += \
	%D%/clang_build.sh \
	%D%/devices.sh \
	%D%/follow.sh \
	%D%/jobs.sh \
	%D%/phases.sh \
	%D%/directories.sh \
	%D%/summarize.sh
test_programs += \
	%D%/follow_program \
	%D%/merge_trees
tests_bin_input_follow_program_LDADD = libctprof.la -lpthread
EXTRA_DIST += \
	%D%/clang_build_count.py \
	%D%/phases_check.py \
	%D%/phases_oracle.py
