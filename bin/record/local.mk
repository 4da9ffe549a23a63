# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/child.c %D%/child.h \
	%D%/logs.c %D%/logs.h \
	%D%/preload.c %D%/preload.h \
	%D%/program.c %D%/program.h \
	%D%/python.c %D%/python.h \
	%D%/recovery.c %D%/recovery.h \
	%D%/selection.c %D%/selection.h \
	%D%/spools.c %D%/spools.h \
	%D%/symbolizer.c %D%/symbolizer.h \
	%D%/tools.c %D%/tools.h

# Where the package for Python is going to be, for `ctprof record --python`.
python_directories = $(foreach python,$(CTP_PYTHONS),$(shell $(python) \
	$(srcdir)/python/facts.py directory '$(prefix)'):)
%D%/python.lo: override CPPFLAGS += \
	-DCTP_PYTHON_SITES='"$(subst : ,:,$(python_directories))"'
