# SPDX-License-Identifier: MIT
EXTRA_PROGRAMS = bench_huffman bench_pack bench_threads
bench_huffman_SOURCES = %D%/bench_huffman.c
bench_huffman_LDADD = libbase.la $(ZLIB_LIBS) -lm
bench_pack_SOURCES = %D%/bench_pack.c
bench_pack_LDADD = librecorder.la -lm
bench_threads_SOURCES = %D%/bench_threads.c
CLEANFILES += bench_huffman$(EXEEXT) bench_pack$(EXEEXT) bench_threads$(EXEEXT) bench.json bench-python.json \
	bench-scale.json bench-traces.json
shell_tests += \
	%D%/bench_document.sh
EXTRA_DIST += \
	%D%/bench.sh \
	%D%/bench_document.py \
	%D%/bench_document_check.py \
	%D%/bench_document_device.py \
	%D%/bench_document_host.py \
	%D%/bench_document_kernels.py \
	%D%/bench_document_nest.py \
	%D%/bench_graph.h \
	%D%/bench_harness.c \
	%D%/bench_injection.c \
	%D%/bench_log.sh \
	%D%/bench_lttng.h \
	%D%/bench_measure.py \
	%D%/bench_peer.h \
	%D%/bench_peer_clock.c \
	%D%/bench_peer_ctprof.c \
	%D%/bench_peer_ctprof_call.c \
	%D%/bench_peer_ctprof_off.c \
	%D%/bench_peer_ctprof_stopped.c \
	%D%/bench_peer_instrument.c \
	%D%/bench_peer_lttng.c \
	%D%/bench_peer_mcount.c \
	%D%/bench_peer_none.c \
	%D%/bench_peer_nvtx.c \
	%D%/bench_peer_rdtsc.c \
	%D%/bench_peer_spall.c \
	%D%/bench_peer_tracy.c \
	%D%/bench_plain.h \
	%D%/bench_reading.py \
	%D%/bench_table.py \
	%D%/bench_traces.py \
	%D%/scale_model.py

bench: bench-recorder
	$(MAKE) bench-traces
	$(MAKE) bench-python
bench-recorder: all bench_huffman$(EXEEXT) bench_pack$(EXEEXT) \
	tests/lib/recorder/record_devices$(EXEEXT)
	CC='$(CC)' $(srcdir)/tests/bench/bench.sh $(builddir)
	@./bench_huffman$(EXEEXT)

# Threads by the thousand; THREADS='10 100' for some numbers only.
bench-threads: all bench_threads$(EXEEXT) tests/lib/recorder/threads_program$(EXEEXT)
	./bench_threads$(EXEEXT) tests/lib/recorder/threads_program$(EXEEXT) $(THREADS)

# Foreign files, beside other programs that read them.
bench-traces: all tests/support/make_trace$(EXEEXT)
	@python=venv/bin/python; [ -x $$python ] || python=python3; \
		$$python -B $(srcdir)/tests/bench/bench_traces.py

# Python's profilers, on each interpreter that the package is built for.
python_bench = tests/python/bench.py tests/python/bench_cost.py \
	tests/python/bench_floor.c tests/python/bench_loads.py \
	tests/python/bench_memory.py tests/python/bench_options.py \
	tests/python/bench_table.py tests/python/bench_times.py
EXTRA_DIST += $(python_bench)
bench-python: all $(python_floors)
	@if [ -z '$(CTP_PYTHONS)' ]; then \
		echo 'configured without Python: nothing to measure'; \
	else \
		$(firstword $(CTP_PYTHONS)) -B \
			$(srcdir)/tests/python/bench.py $(CTP_PYTHONS); \
	fi
	$(MAKE) bench-python-times
	$(MAKE) bench-python-options

# The difference between its times and cProfile's.
bench-python-times: all
	@for python in $(CTP_PYTHONS); do \
		CTPROF="$$PWD/ctprof$(EXEEXT)" LD_LIBRARY_PATH="$$PWD/.libs" \
			PYTHONPATH="$$PWD/python/package" PYTHONHASHSEED=0 \
			$$python -B $(srcdir)/tests/python/bench_times.py \
			|| exit; \
	done

# The memory of programs that generate code.
bench-python-memory: all
	@python3 -B $(srcdir)/tests/python/bench_memory.py $(CTP_PYTHONS)

# The cost of a call with --last and with --args.
bench-python-options: all
	@for python in $(CTP_PYTHONS); do \
		LD_LIBRARY_PATH="$$PWD/.libs" PYTHONHASHSEED=0 \
			PYTHONPATH="$$PWD/python/package" \
			$$python -B $(srcdir)/tests/python/bench_options.py \
			|| exit; \
	done

.PHONY: bench bench-recorder bench-threads bench-traces bench-python bench-python-memory \
	bench-python-options bench-python-times

# Reading a log with one thread and more: that of the graph of calls, or
# READING_LOG; READING_OTHER is a ctprof to compare with.
bench-reading: all
	@if [ -z '$(READING_LOG)' ]; then \
		$(CC) -std=gnu17 -O2 -D_GNU_SOURCE -I$(srcdir)/tests -I$(srcdir)/lib \
			$(srcdir)/tests/bench/bench_harness.c $(srcdir)/tests/bench/bench_peer_ctprof.c \
			-o bench_reading -L.libs -lctprof -lm -pthread && \
		LD_LIBRARY_PATH="$$PWD/.libs" ./bench_reading graph 4550000 bench_reading.ctp >/dev/null; \
	fi
	@log='$(READING_LOG)'; python3 -B $(srcdir)/tests/bench/bench_reading.py ./ctprof$(EXEEXT) \
		"$${log:-bench_reading.ctp}" 7 $(READING_OTHER)
	@rm -f bench_reading bench_reading.ctp
.PHONY: bench-reading
