# SPDX-License-Identifier: MIT
test_programs += \
	%D%/make_log \
	%D%/make_trace \
	%D%/dump_events \
	%D%/list_elf_functions \
	%D%/list_functions \
	%D%/kill_check \
	%D%/kill_program \
	%D%/oracle_record
tests_support_kill_check_SOURCES = %D%/kill_check.c %D%/kill_progress.h
tests_support_kill_program_SOURCES = %D%/kill_program.c %D%/kill_progress.h %D%/sanitized_fork.c
tests_support_kill_program_LDADD = libctprof.la -lpthread
tests_support_oracle_record_LDADD = libctprof.la -lpthread
# As list_functions is without libdw. It has flags of its own, as the library may
# have the same object.
tests_support_list_elf_functions_SOURCES = %D%/list_functions.c lib/symbols/symbols_elf.c
tests_support_list_elf_functions_CFLAGS = $(AM_CFLAGS)
tests_libcases_la_SOURCES += \
	%D%/array_source.c %D%/array_source.h \
	%D%/device_case.c %D%/device_case.h \
	%D%/log_case.c %D%/log_case.h \
	%D%/log_maker.c %D%/log_maker.h \
	%D%/log_recipe.c %D%/log_recipe.h \
	%D%/log_text.c %D%/log_text.h \
	%D%/profile_case.c %D%/profile_case.h
EXTRA_DIST += \
	%D%/browser.py \
	%D%/checks.py \
	%D%/device.recipe \
	%D%/foreign.recipe \
	%D%/gaps_trace.py \
	%D%/kill_case.sh \
	%D%/mark_case.sh \
	%D%/on_terminal.py \
	%D%/oracle.py \
	%D%/page_commands.awk \
	%D%/pftrace_read.py \
	%D%/pprof_write.py \
	%D%/prelude.sh \
	%D%/protobuf_read.py \
	%D%/quick_check.h \
	%D%/read_log.py \
	%D%/torch_records.py \
	%D%/run_suite.h \
	%D%/trace_counts.py \
	%D%/webdriver.py
