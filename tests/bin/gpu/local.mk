# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/gaps.sh \
	%D%/kernels.sh \
	%D%/ranks.sh \
	%D%/sums.sh
EXTRA_DIST += \
	%D%/gaps_check.py \
	%D%/gaps_counters.py \
	%D%/kernels_check.py \
	%D%/kernels_torch.py \
	%D%/ranks_check.py \
	%D%/ranks_peers.py \
	%D%/sums_check.py \
	%D%/gaps
