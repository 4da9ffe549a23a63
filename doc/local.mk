# SPDX-License-Identifier: MIT
manual_pages = $(patsubst bin/cmd_%,%D%/ctprof-%.1,$(commands)) \
	%D%/ctprof-mpi.1 \
	%D%/ctprof-python.1 \
	%D%/ctprof-x2y.1 \
	%D%/ctprof.1
man1_MANS = $(manual_pages)
dist_man5_MANS = %D%/ctprof-log.5
dist_man3_MANS = %D%/libctprof.3
CLEANFILES += $(manual_pages)
EXTRA_DIST += %D%/guide.sh %D%/man.sh %D%/messages.py %D%/mkdocs.yml \
	%D%/pictures.sh %D%/readme.sh %D%/schemas.py $(manual_pages:=.in)
dist_doc_DATA = \
	README.md \
	NEWS.md \
	SECURITY.md \
	CODE_OF_CONDUCT.md \
	%D%/BENCHMARKS.md \
	%D%/GPU.md \
	%D%/RELIABILITY.md \
	%D%/VERSIONING.md
EXTRA_DIST += %D%/benchmarks
guidedir = $(docdir)/guide
dist_guide_DATA = \
	%D%/guide/annotate.md \
	%D%/guide/ci.md \
	%D%/guide/commands.md \
	%D%/guide/environment.md \
	%D%/guide/format-chrome.md \
	%D%/guide/format-log.md \
	%D%/guide/format-nvidia.md \
	%D%/guide/format-pictures.md \
	%D%/guide/format-profiles.md \
	%D%/guide/format-tables.md \
	%D%/guide/format-timelines.md \
	%D%/guide/formats.md \
	%D%/guide/glossary.md \
	%D%/guide/hot-functions.md \
	%D%/guide/idle-gpus.md \
	%D%/guide/index.md \
	%D%/guide/install.md \
	%D%/guide/json.md \
	%D%/guide/kernels.md \
	%D%/guide/many-ranks.md \
	%D%/guide/numbers.md \
	%D%/guide/page.md \
	%D%/guide/privacy.md \
	%D%/guide/quick-start.md \
	%D%/guide/record-c.md \
	%D%/guide/record-gpu.md \
	%D%/guide/record-markers.md \
	%D%/guide/record-python.md \
	%D%/guide/repair.md \
	%D%/guide/share.md \
	%D%/guide/slow-builds.md \
	%D%/guide/slow-compilations.md \
	%D%/guide/troubleshooting.md \
	%D%/guide/trust.md \
	%D%/guide/what-changed.md

picturesdir = $(docdir)/pictures
dist_pictures_DATA = \
	%D%/pictures/callgraph.svg \
	%D%/pictures/flamegraph.png \
	%D%/pictures/page-clang.png \
	%D%/pictures/page-python.png \
	%D%/pictures/page-torch.png \
	%D%/pictures/ranks.png \
	%D%/pictures/report.png
schemasdir = $(docdir)/schemas
dist_schemas_DATA = \
	%D%/schemas/breaks-1.csv.json \
	%D%/schemas/breaks-1.json \
	%D%/schemas/build-1.csv.json \
	%D%/schemas/build-1.json \
	%D%/schemas/check-1.csv.json \
	%D%/schemas/check-1.json \
	%D%/schemas/compilations-1.csv.json \
	%D%/schemas/compilations-1.json \
	%D%/schemas/diff-1.csv.json \
	%D%/schemas/diff-1.json \
	%D%/schemas/findings-1.csv.json \
	%D%/schemas/findings-1.json \
	%D%/schemas/formats-1.json \
	%D%/schemas/functions-1.csv.json \
	%D%/schemas/functions-1.json \
	%D%/schemas/gaps-1.csv.json \
	%D%/schemas/gaps-1.json \
	%D%/schemas/gaps_sum-1.csv.json \
	%D%/schemas/gaps_sum-1.json \
	%D%/schemas/info-1.json \
	%D%/schemas/info_sum-1.json \
	%D%/schemas/kernels-1.csv.json \
	%D%/schemas/kernels-1.json \
	%D%/schemas/kernels_sum-1.csv.json \
	%D%/schemas/kernels_sum-1.json \
	%D%/schemas/optimize-1.csv.json \
	%D%/schemas/optimize-1.json \
	%D%/schemas/phases-1.csv.json \
	%D%/schemas/phases-1.json \
	%D%/schemas/ranks-1.csv.json \
	%D%/schemas/ranks-1.json \
	%D%/schemas/recompilations-1.csv.json \
	%D%/schemas/recompilations-1.json \
	%D%/schemas/repair-1.json \
	%D%/schemas/stats-1.csv.json \
	%D%/schemas/stats-1.json \
	%D%/schemas/threads-1.csv.json \
	%D%/schemas/threads-1.json

# The README's table of formats and the guide's tables of messages, which a test
# compares with the program and its sources.
readme: ctprof$(EXEEXT)
	$(srcdir)/%D%/readme.sh ./ctprof$(EXEEXT) $(srcdir)/README.md > $@.tmp
	cat $@.tmp > $(srcdir)/README.md
	$(srcdir)/%D%/messages.py $(srcdir) > $@.tmp
	cat $@.tmp > $(srcdir)/%D%/guide/troubleshooting.md && rm -f $@.tmp
schemas: ctprof$(EXEEXT)
	./ctprof help --columns | $(srcdir)/%D%/schemas.py $(srcdir)/%D%/schemas
.PHONY: readme schemas

# The options come from the program's own tables.
$(manual_pages): %.1: %.1.in %D%/man.sh ctprof$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && \
		$(srcdir)/%D%/man.sh $(own_ctprof) $< > $@.tmp && \
		mv $@.tmp $@

# The guide as a web site, in guide/site; needs mkdocs-material.
.PHONY: guide pictures
guide: ctprof$(EXEEXT)
	$(srcdir)/%D%/guide.sh $(srcdir) ./ctprof$(EXEEXT) guide

# Makes the pictures of the README and the guide anew, in the sources.
pictures: ctprof$(EXEEXT) cindex$(EXEEXT)
	$(srcdir)/%D%/pictures.sh ./ctprof$(EXEEXT) ./cindex$(EXEEXT) $(srcdir)/%D%/pictures

