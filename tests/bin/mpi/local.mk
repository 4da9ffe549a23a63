# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/mpi.sh
# Many ranks by MPI: no part of `make check`, since starting a job takes seconds.
check-scale: all
	@srcdir='$(srcdir)' CC='$(CC)' $(srcdir)/tests/bin/mpi/check_scale.sh || \
		{ status=$$?; [ $$status = 77 ] || exit $$status; }
# The cost of sums of many ranks. RANKS is a folder of their traces.
bench-scale: all tests/support/make_trace$(EXEEXT)
	@python=venv/bin/python; [ -x $$python ] || python=python3; \
		$$python -B $(srcdir)/tests/bin/mpi/bench_scale.py $(RANKS) && \
		$$python -B $(srcdir)/tests/bench/scale_model.py
.PHONY: check-scale bench-scale
EXTRA_DIST += \
	%D%/bench_scale.py \
	%D%/check_scale.sh \
	%D%/open_hook.c \
	%D%/rank_traces.py \
	%D%/team.sh
