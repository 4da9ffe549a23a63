# SPDX-License-Identifier: MIT
manual_pages = $(patsubst bin/cmd_%,%D%/ctprof-%.1,$(commands)) \
	%D%/ctprof-python.1 \
	%D%/ctprof-x2y.1 \
	%D%/ctprof.1
man1_MANS = $(manual_pages)
dist_man5_MANS = %D%/ctprof-log.5
dist_man3_MANS = %D%/libctprof.3
CLEANFILES += $(manual_pages)
EXTRA_DIST += %D%/guide.sh %D%/man.sh %D%/messages.py %D%/mkdocs.yml \
	%D%/pictures %D%/pictures.sh %D%/readme.sh $(manual_pages:=.in)
dist_doc_DATA = \
	README.md \
	NEWS.md \
	SECURITY.md \
	%D%/BENCHMARKS.md \
	%D%/GPU.md \
	%D%/RELIABILITY.md \
	%D%/guide/privacy.md
EXTRA_DIST += %D%/benchmarks %D%/guide
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

# The README's table of formats and the guide's tables of messages, which a test
# compares with the program and its sources.
readme: ctprof$(EXEEXT)
	$(srcdir)/%D%/readme.sh ./ctprof$(EXEEXT) $(srcdir)/README.md > $@.tmp
	cat $@.tmp > $(srcdir)/README.md
	$(srcdir)/%D%/messages.py $(srcdir) > $@.tmp
	cat $@.tmp > $(srcdir)/%D%/guide/troubleshooting.md && rm -f $@.tmp
.PHONY: readme

# The options come from the program's own tables.
$(manual_pages): %.1: %.1.in %D%/man.sh ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && \
		$(srcdir)/%D%/man.sh ./ctprof$(EXEEXT) $< > $@.tmp && \
		mv $@.tmp $@

# The guide as a web site, in guide/site; needs mkdocs-material.
.PHONY: guide pictures
guide: ctprof$(EXEEXT)
	$(srcdir)/%D%/guide.sh $(srcdir) ./ctprof$(EXEEXT) guide

# Makes the pictures of the README and the guide anew, in the sources.
pictures: ctprof$(EXEEXT) cindex$(EXEEXT)
	$(srcdir)/%D%/pictures.sh ./ctprof$(EXEEXT) ./cindex$(EXEEXT) $(srcdir)/%D%/pictures

