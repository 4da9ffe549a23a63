# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/demangle.c %D%/demangle.h \
	%D%/function_name.c %D%/function_name.h \
	%D%/name_parts.c %D%/name_parts.h \
	%D%/symbol_normalize.c %D%/symbol_normalize.h
