# SPDX-License-Identifier: MIT
# Tests with real PyTorch, some GB of it: no part of `make check`.
check-torch: all
	srcdir='$(srcdir)' $(srcdir)/tests/torch/check.sh
.PHONY: check-torch
EXTRA_DIST += \
	tests/torch/check.py \
	tests/torch/check.sh \
	tests/torch/model.py
