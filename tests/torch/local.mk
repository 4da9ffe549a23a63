# SPDX-License-Identifier: MIT
# Tests with real PyTorch, some GB of it: no part of `make check`.
check-torch: all
	srcdir='$(srcdir)' $(srcdir)/tests/torch/check.sh
# The cost of --compile, with the same environments.
bench-torch: all
	srcdir='$(srcdir)' $(srcdir)/tests/torch/check.sh bench.py
.PHONY: check-torch bench-torch
EXTRA_DIST += \
	tests/torch/bench.py \
	tests/torch/check.py \
	tests/torch/check.sh \
	tests/torch/model.py
