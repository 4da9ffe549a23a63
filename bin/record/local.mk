# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/attach.c %D%/attach.h \
	%D%/attach_files.c %D%/attach_files.h \
	%D%/attach_target.c %D%/attach_target.h \
	%D%/compressor.c %D%/compressor.h \
	%D%/preload.c %D%/preload.h \
	%D%/python.c %D%/python.h \
	%D%/recovery.c %D%/recovery.h \
	%D%/run_join.c %D%/run_join.h \
	%D%/run_logs.c %D%/run_logs.h \
	%D%/run_output.c %D%/run_output.h \
	%D%/selection.c %D%/selection.h \
	%D%/spawn.c %D%/spawn.h \
	%D%/spool_dir.c %D%/spool_dir.h \
	%D%/symbolizer.c %D%/symbolizer.h \
	%D%/target_elf.c %D%/target_elf.h

# The future path of the Python package, for `ctprof record --python`.
python_directories = $(foreach python,$(CTP_PYTHONS),$(shell $(python) \
	$(srcdir)/python/build_facts.py directory '$(prefix)'):)
%D%/python.lo: override CPPFLAGS += \
	-DCTP_PYTHON_SITES='"$(subst : ,:,$(python_directories))"'
