# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_convert \
	%D%/test_formats \
	%D%/test_prefixes \
	%D%/test_profile_formats \
	%D%/test_svg
shell_tests += \
	%D%/consumers.sh \
	%D%/flood.sh \
	%D%/memory.sh \
	%D%/names.sh \
	%D%/nesting.sh \
	%D%/texts.sh \
	%D%/viewers.sh
EXTRA_DIST += \
	%D%/consumers.py \
	%D%/flood.py \
	%D%/names_check.py \
	%D%/texts_callgrind.py \
	%D%/texts_case.py \
	%D%/texts_dot.py \
	%D%/texts_folded.py \
	%D%/texts_gprof.py \
	%D%/texts_gprof2dot.py \
	%D%/texts_pprof.py \
	%D%/texts_seeds.py \
	%D%/texts_speedscope.py \
	%D%/viewers_trace.py \
	%D%/texts
