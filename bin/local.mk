# SPDX-License-Identifier: MIT
bin_PROGRAMS += ctprof
ctprof_SOURCES = %D%/main.c
ctprof_LDADD = libprogram.la

# All of the program except main(), for the tests.
noinst_LTLIBRARIES += libprogram.la
libprogram_la_LIBADD = libformats.la librecover.la libsymbols.la $(JANSSON_LIBS)
# Each has its manual page, doc/ctprof-NAME.1.in.
commands = \
	%D%/cmd_annotate \
	%D%/cmd_cflags \
	%D%/cmd_check \
	%D%/cmd_compilations \
	%D%/cmd_completion \
	%D%/cmd_convert \
	%D%/cmd_cut \
	%D%/cmd_diff \
	%D%/cmd_findings \
	%D%/cmd_formats \
	%D%/cmd_gaps \
	%D%/cmd_help \
	%D%/cmd_info \
	%D%/cmd_kernels \
	%D%/cmd_merge \
	%D%/cmd_phases \
	%D%/cmd_ranks \
	%D%/cmd_record \
	%D%/cmd_repair \
	%D%/cmd_report \
	%D%/cmd_stats \
	%D%/cmd_summarize \
	%D%/cmd_symbolize \
	%D%/cmd_view
libprogram_la_SOURCES = $(commands:=.c)
include bin/cli/local.mk
include bin/compare/local.mk
include bin/compilations/local.mk
include bin/findings/local.mk
include bin/gpu/local.mk
include bin/input/local.mk
include bin/mpi/local.mk
include bin/record/local.mk
include bin/report/local.mk
include bin/stats/local.mk
include bin/timeline/local.mk
include bin/view/local.mk

# ctp2pstats and so on: links to the program, one for each written format. They
# are listed for the shell's completion.
CONVERTERS = $$(sed -n '1s/^\#compdef ctprof //p' completion/_ctprof)

install-exec-hook:
	for name in $(CONVERTERS); do \
		(cd $(DESTDIR)$(bindir) && rm -f $$name && \
			$(LN_S) ctprof$(EXEEXT) $$name) || exit 1; \
	done

# `man ctp2pstats` shows the page that describes them all.
install-data-hook:
	for name in $(CONVERTERS); do \
		echo .so man1/ctprof-x2y.1 \
			> $(DESTDIR)$(man1dir)/$$name.1 || exit 1; \
	done

uninstall-hook:
	for name in $(CONVERTERS); do \
		rm -f $(DESTDIR)$(bindir)/$$name \
			$(DESTDIR)$(man1dir)/$$name.1; \
	done

bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
bashcomp_DATA = completion/ctprof
zshcomp_DATA = completion/_ctprof
fishcomp_DATA = completion/ctprof.fish
CLEANFILES += $(bashcomp_DATA) $(zshcomp_DATA) $(fishcomp_DATA)

# The program that prints its own completion and options for the manual: when it
# is built for another machine, one that runs here.
own_ctprof = ./ctprof$(EXEEXT)

completion/ctprof: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && $(own_ctprof) completion bash > $@
completion/_ctprof: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && $(own_ctprof) completion zsh > $@
completion/ctprof.fish: ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completion && $(own_ctprof) completion fish > $@
