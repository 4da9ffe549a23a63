# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/fuzz.sh
test_programs += \
	%D%/fuzz_cut \
	%D%/fuzz_deflate \
	%D%/fuzz_digest \
	%D%/fuzz_elf \
	%D%/fuzz_http \
	%D%/fuzz_log \
	%D%/fuzz_part \
	%D%/fuzz_pstats \
	%D%/fuzz_repair \
	%D%/fuzz_replay \
	%D%/fuzz_rules \
	%D%/fuzz_spool \
	%D%/fuzz_sqlite \
	%D%/fuzz_summary \
	%D%/fuzz_texts \
	%D%/fuzz_trace
tests_fuzz_fuzz_cut_SOURCES = %D%/fuzz_cut.c $(fuzz_case)
tests_fuzz_fuzz_deflate_SOURCES = %D%/fuzz_deflate.c $(fuzz_case)
tests_fuzz_fuzz_digest_SOURCES = %D%/fuzz_digest.c $(fuzz_case)
tests_fuzz_fuzz_elf_SOURCES = %D%/fuzz_elf.c lib/symbols/symbols_elf.c \
	$(fuzz_case)
tests_fuzz_fuzz_elf_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_http_SOURCES = %D%/fuzz_http.c $(fuzz_case)
tests_fuzz_fuzz_log_SOURCES = %D%/fuzz_log.c $(fuzz_case)
tests_fuzz_fuzz_part_SOURCES = %D%/fuzz_part.c $(fuzz_case)
tests_fuzz_fuzz_pstats_SOURCES = %D%/fuzz_pstats.c $(fuzz_case)
tests_fuzz_fuzz_repair_SOURCES = %D%/fuzz_repair.c $(fuzz_case)
tests_fuzz_fuzz_replay_SOURCES = %D%/fuzz_replay.c $(fuzz_case)
tests_fuzz_fuzz_rules_SOURCES = %D%/fuzz_rules.c $(fuzz_case)
tests_fuzz_fuzz_spool_SOURCES = %D%/fuzz_spool.c $(fuzz_case)
tests_fuzz_fuzz_sqlite_SOURCES = %D%/fuzz_sqlite.c $(fuzz_case)
tests_fuzz_fuzz_summary_SOURCES = %D%/fuzz_summary.c $(fuzz_case)
tests_fuzz_fuzz_texts_SOURCES = %D%/fuzz_texts.c $(fuzz_case)
tests_fuzz_fuzz_trace_SOURCES = %D%/fuzz_trace.c $(fuzz_case)
fuzz_case = %D%/fuzz_main.c %D%/fuzz_case.c %D%/fuzz_case.h
dist_check_SCRIPTS += %D%/fuzz_run.sh %D%/fuzz_seeds.sh

# Fuzzing, for FUZZ_SECONDS in all: by libFuzzer, or by AFL++.
FUZZ_SECONDS = 60
FUZZ_TARGETS = \
	fuzz_cut \
	fuzz_deflate \
	fuzz_digest \
	fuzz_elf \
	fuzz_http \
	fuzz_log \
	fuzz_part \
	fuzz_pstats \
	fuzz_repair \
	fuzz_replay \
	fuzz_rules \
	fuzz_spool \
	fuzz_sqlite \
	fuzz_summary \
	fuzz_texts \
	fuzz_trace
fuzz_made = formats/flamegraph/flame_files.c lib/phases/phase_texts.c
FUZZ = srcdir='$(abs_srcdir)' \
	CPPFLAGS='-D_GNU_SOURCE -include $(abs_builddir)/config.h \
		-Ilib -Iformats -Itests $(MSGPACK_CFLAGS) $(SQLITE_CFLAGS)' \
	SOURCES='%D%/fuzz_case.c tests/support/log_maker.c \
		$(addprefix $(abs_builddir)/,$(fuzz_made)) \
		$(filter %.c,$(libformats_la_SOURCES) $(librecover_la_SOURCES) \
		$(libcore_la_SOURCES) $(libpack_la_SOURCES) \
		$(libbase_la_SOURCES)) \
		lib/symbols/elf_file.c lib/symbols/elf_table.c \
		lib/symbols/symbols_elf.c' \
	LIBS='$(ZLIB_LIBS) $(LIBDEFLATE_LIBS) $(SQLITE_LIBS)' \
	$(srcdir)/%D%/fuzz_run.sh
fuzz: tests/support/make_log$(EXEEXT) ctprof$(EXEEXT) $(fuzz_made)
	$(FUZZ) libfuzzer $(FUZZ_SECONDS) $(FUZZ_TARGETS)
fuzz-afl: tests/support/make_log$(EXEEXT) ctprof$(EXEEXT) $(fuzz_made)
	$(FUZZ) afl $(FUZZ_SECONDS) $(FUZZ_TARGETS)
.PHONY: fuzz fuzz-afl
