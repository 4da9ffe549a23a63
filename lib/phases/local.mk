# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/phase_rules.c %D%/phase_rules.h \
	%D%/phase_totals.c %D%/phase_totals.h \
	%D%/phases.c %D%/phases.h

# Rules of phases are in the program, so that it finds them wherever it runs.
phase_rules = \
	%D%/rules/clang.rules \
	%D%/rules/dynamo.rules \
	%D%/rules/import.rules \
	%D%/rules/nvcc.rules
nodist_libcore_la_SOURCES = %D%/phase_texts.c
%D%/phase_texts.c: formats/embed.sh %D%/local.mk $(phase_rules)
	$(call embed,phases/phase_rules.h)
CLEANFILES += %D%/phase_texts.c
EXTRA_DIST += $(phase_rules)
