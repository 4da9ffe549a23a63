# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/ci_gate.sh \
	%D%/scale_slurm.sh
# Dask, Ray and Slurm take two minutes, and longer to install: no part of
# `make check`.
check-scale-examples: all
	@srcdir='$(srcdir)' $(srcdir)/tests/examples/check_scale.sh
check-scale: check-scale-examples
.PHONY: check-scale-examples
EXTRA_DIST += \
	%D%/check_scale.sh \
	%D%/ci_files.py \
	%D%/scale_case.sh \
	%D%/slurm_node.sh
