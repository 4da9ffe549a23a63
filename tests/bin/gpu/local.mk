# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/gaps.sh \
	%D%/kernels.sh
EXTRA_DIST += \
	%D%/gaps_check.py \
	%D%/gaps_counters.py \
	%D%/kernels_check.py \
	%D%/kernels_torch.py \
	%D%/gaps
