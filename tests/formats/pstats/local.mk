# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_marshal \
	%D%/test_pstats \
	%D%/test_svg
shell_tests += \
	%D%/pstats.sh \
	%D%/snakeviz.sh
EXTRA_DIST += \
	%D%/pstats_read.py \
	%D%/pstats_seeds.py \
	%D%/pstats
