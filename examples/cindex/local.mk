# SPDX-License-Identifier: MIT
# A small C front end that records itself.
noinst_PROGRAMS += cindex
cindex_LDADD = libctprof.la -lpthread
cindex_SOURCES = \
	%D%/arena.c %D%/arena.h \
	%D%/declarator.c \
	%D%/directive.c \
	%D%/expand.c \
	%D%/expr.c %D%/expr.h \
	%D%/index.c %D%/index.h \
	%D%/input.c \
	%D%/lex.c %D%/lex.h \
	%D%/macro.c %D%/macro.h \
	%D%/main.c \
	%D%/name.c %D%/name.h \
	%D%/parse.c %D%/parse.h \
	%D%/paths.c %D%/paths.h \
	%D%/predefined.h \
	%D%/queue.c %D%/queue.h \
	%D%/source.c %D%/source.h \
	%D%/type.c \
	%D%/unit.h
EXTRA_DIST += examples/README.md examples/compile_modules.py examples/demo.sh \
	examples/hanoi.py examples/words.cc
