# SPDX-License-Identifier: MIT
noinst_LTLIBRARIES += libsymbols.la
libsymbols_la_SOURCES = \
	%D%/elf_file.c %D%/elf_file.h \
	%D%/elf_table.c %D%/elf_table.h \
	%D%/symbolize.c %D%/symbolize.h \
	%D%/symbols.h
if HAVE_LIBDW
libsymbols_la_SOURCES += %D%/symbols.c
else
libsymbols_la_SOURCES += %D%/symbols_elf.c
endif
libsymbols_la_LIBADD = libcore.la $(LIBDW_LIBS)
