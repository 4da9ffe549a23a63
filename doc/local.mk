# SPDX-License-Identifier: MIT
manual_pages = \
	%D%/ctprof-annotate.1 \
	%D%/ctprof-check.1 \
	%D%/ctprof-completion.1 \
	%D%/ctprof-convert.1 \
	%D%/ctprof-cut.1 \
	%D%/ctprof-diff.1 \
	%D%/ctprof-formats.1 \
	%D%/ctprof-gaps.1 \
	%D%/ctprof-help.1 \
	%D%/ctprof-info.1 \
	%D%/ctprof-kernels.1 \
	%D%/ctprof-merge.1 \
	%D%/ctprof-phases.1 \
	%D%/ctprof-python.1 \
	%D%/ctprof-record.1 \
	%D%/ctprof-repair.1 \
	%D%/ctprof-report.1 \
	%D%/ctprof-stats.1 \
	%D%/ctprof-symbolize.1 \
	%D%/ctprof-x2y.1 \
	%D%/ctprof.1
man1_MANS = $(manual_pages)
dist_man5_MANS = %D%/ctprof-log.5
dist_man3_MANS = %D%/libctprof.3
CLEANFILES += $(manual_pages)
EXTRA_DIST += %D%/man.sh %D%/pictures $(manual_pages:=.in)
dist_doc_DATA = \
	README.md \
	NEWS.md \
	SECURITY.md \
	%D%/BENCHMARKS.md \
	%D%/GPU.md \
	%D%/RELIABILITY.md \
	%D%/guide/privacy.md
schemasdir = $(docdir)/schemas
dist_schemas_DATA = \
	%D%/schemas/build-1.csv.json \
	%D%/schemas/build-1.json \
	%D%/schemas/check-1.csv.json \
	%D%/schemas/check-1.json \
	%D%/schemas/diff-1.csv.json \
	%D%/schemas/diff-1.json \
	%D%/schemas/formats-1.json \
	%D%/schemas/gaps-1.csv.json \
	%D%/schemas/gaps-1.json \
	%D%/schemas/info-1.json \
	%D%/schemas/kernels-1.csv.json \
	%D%/schemas/kernels-1.json \
	%D%/schemas/optimize-1.csv.json \
	%D%/schemas/optimize-1.json \
	%D%/schemas/phases-1.csv.json \
	%D%/schemas/phases-1.json \
	%D%/schemas/repair-1.json \
	%D%/schemas/stats-1.csv.json \
	%D%/schemas/stats-1.json

# The options come from the program's own tables.
$(manual_pages): %.1: %.1.in %D%/man.sh ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && \
		$(srcdir)/%D%/man.sh ./ctprof$(EXEEXT) $< > $@.tmp && \
		mv $@.tmp $@
