# SPDX-License-Identifier: MIT
bin_PROGRAMS += ctprof
ctprof_SOURCES = %D%/main.c
ctprof_LDADD = libprogram.la

# All of the program but main(), for the tests.
noinst_LTLIBRARIES += libprogram.la
libprogram_la_LIBADD = libformats.la librecover.la libsymbols.la $(JANSSON_LIBS)
libprogram_la_SOURCES = \
	%D%/cmd_annotate.c \
	%D%/cmd_check.c \
	%D%/cmd_completion.c \
	%D%/cmd_convert.c \
	%D%/cmd_cut.c \
	%D%/cmd_diff.c \
	%D%/cmd_formats.c \
	%D%/cmd_gaps.c \
	%D%/cmd_help.c \
	%D%/cmd_info.c \
	%D%/cmd_kernels.c \
	%D%/cmd_merge.c \
	%D%/cmd_phases.c \
	%D%/cmd_record.c \
	%D%/cmd_repair.c \
	%D%/cmd_report.c \
	%D%/cmd_stats.c \
	%D%/cmd_symbolize.c
include bin/cli/local.mk
include bin/compare/local.mk
include bin/gpu/local.mk
include bin/input/local.mk
include bin/record/local.mk
include bin/repair/local.mk
include bin/report/local.mk
include bin/stats/local.mk
include bin/timeline/local.mk

# ctp2pstats and so on: links to the program, one for each format written.
CONVERTERS = ctp2callgrind ctp2chrome ctp2csv ctp2dot ctp2flamegraph \
	ctp2folded ctp2gprof ctp2gprof2dot ctp2pftrace ctp2pprof ctp2pstats \
	ctp2speedscope ctp2sqlite ctp2svg

install-exec-hook:
	for name in $(CONVERTERS); do \
		(cd $(DESTDIR)$(bindir) && rm -f $$name && \
			$(LN_S) ctprof$(EXEEXT) $$name) || exit 1; \
	done

uninstall-hook:
	for name in $(CONVERTERS); do rm -f $(DESTDIR)$(bindir)/$$name; done

bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
bashcomp_DATA = completion/ctprof
zshcomp_DATA = completion/_ctprof
fishcomp_DATA = completion/ctprof.fish
CLEANFILES += $(bashcomp_DATA) $(zshcomp_DATA) $(fishcomp_DATA)

completion/ctprof: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && ./ctprof completion bash > $@
completion/_ctprof: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && ./ctprof completion zsh > $@
completion/ctprof.fish: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && ./ctprof completion fish > $@
