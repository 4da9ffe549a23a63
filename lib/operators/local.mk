# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/annotate.c %D%/annotate.h \
	%D%/fx_registry.c %D%/fx_registry.h \
	%D%/fx_scopes.c %D%/fx_scopes.h \
	%D%/ops.c %D%/ops.h
