# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/arguments.c %D%/arguments.h \
	%D%/columns.c %D%/columns.h \
	%D%/columns_page.c %D%/columns_page.h \
	%D%/command.c %D%/command.h \
	%D%/diag.c %D%/diag.h \
	%D%/output.c %D%/output.h \
	%D%/progress.c %D%/progress.h \
	%D%/quantity.c %D%/quantity.h \
	%D%/suggestion.c %D%/suggestion.h \
	%D%/table.c %D%/table.h \
	%D%/terminal.c %D%/terminal.h
