# SPDX-License-Identifier: MIT
# The package for Python, and its extension for each interpreter.
python_modules = \
	%D%/ctprof/__init__.py \
	%D%/ctprof/__init__.pyi \
	%D%/ctprof/__main__.py \
	%D%/ctprof/_attach.py \
	%D%/ctprof/_autostart.py \
	%D%/ctprof/_build.py \
	%D%/ctprof/_compile.py \
	%D%/ctprof/_ipython.py \
	%D%/ctprof/_options.py \
	%D%/ctprof/_output.py \
	%D%/ctprof/_program.py \
	%D%/ctprof/_recording.py \
	%D%/ctprof/_recording.pyi \
	%D%/ctprof/_run.py \
	%D%/ctprof/_session.py \
	%D%/ctprof/_stats.py \
	%D%/ctprof/_summary.py \
	%D%/ctprof/_trace.py \
	%D%/ctprof/dynamo.py \
	%D%/ctprof/dynamo.pyi \
	%D%/ctprof/profile.py \
	%D%/ctprof/profile.pyi \
	%D%/ctprof/py.typed \
	%D%/ctprof/pytest_plugin.py \
	%D%/ctprof/pytest_plugin.pyi \
	%D%/ctprof/site/attach.py \
	%D%/ctprof/site/sitecustomize.py
python_sources = \
	%D%/call_sites.c \
	%D%/call_values.c \
	%D%/callee.c \
	%D%/callee_name.c \
	%D%/children.c \
	%D%/code_filter.c \
	%D%/code_watch.c \
	%D%/hook_monitoring.c \
	%D%/hook_setprofile.c \
	%D%/integrations.c \
	%D%/line_table.c \
	%D%/module.c \
	%D%/ptr_map.c \
	%D%/pystring.c \
	%D%/ranges.c \
	%D%/stack_entry.c \
	%D%/state.c \
	%D%/threads.c \
	%D%/tracer.c \
	%D%/value_text.c
python_convert_sources = \
	%D%/convert/convert_module.c \
	%D%/convert/event_iterator.c \
	%D%/convert/profile_tables.c \
	%D%/convert/report.c
python_headers = \
	%D%/call_sites.h \
	%D%/call_values.h \
	%D%/callee.h \
	%D%/callee_name.h \
	%D%/children.h \
	%D%/code_filter.h \
	%D%/code_watch.h \
	%D%/convert/event_iterator.h \
	%D%/convert/profile_tables.h \
	%D%/convert/report.h \
	%D%/error_state.h \
	%D%/frame.h \
	%D%/hook.h \
	%D%/integrations.h \
	%D%/line_table.h \
	%D%/ptr_map.h \
	%D%/pystring.h \
	%D%/ranges.h \
	%D%/state.h \
	%D%/threads.h \
	%D%/tracer.h \
	%D%/value_text.h
EXTRA_DIST += %D%/_ctprof_command.py %D%/extension.map %D%/extension.mk \
	%D%/build_facts.py %D%/install.sh %D%/pyproject.toml %D%/setup.py \
	%D%/stage.sh \
	$(python_modules) $(python_sources) $(python_convert_sources) \
	$(python_headers)

if HAVE_PYTHON
-include $(top_srcdir)/%D%/extension.mk

all-local: $(python_modules:python/%=python/package/%) $(python_extensions)

python_install = for python in $(CTP_PYTHONS); do \
		DESTDIR='$(DESTDIR)' INSTALL_DATA='$(INSTALL_DATA)' \
		INSTALL_PROGRAM='$(INSTALL_PROGRAM)' \
		$(SHELL) $(top_srcdir)/%D%/install.sh $(1) $$python \
			'$(prefix)' $(python_modules:python/%=%) || exit; \
	done
install-exec-local:
	$(call python_install,install)
uninstall-local:
	$(call python_install,uninstall)
endif
