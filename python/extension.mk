# SPDX-License-Identifier: MIT
# The extension module for each interpreter, and the package as Python loads it
# from here: python/package/ctprof. The makefile includes this as it is, since
# automake does not know `define`.
#
# Interpreters whose extensions have the same suffix share one. An extension is
# not linked with libpython: the interpreter that loads it has these symbols,
# and may have no such library.

python_facts = $(top_srcdir)/python/facts.py
python_compile = $(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(CTP_CFLAGS) \
	$(filter-out -finstrument-functions%,$(CFLAGS)) -fPIC
python_link = $(CC) $(CTP_CFLAGS) \
	$(filter-out -finstrument-functions%,$(CFLAGS)) -shared \
	-Wl,--version-script=$(top_srcdir)/python/extension.map \
	$(CTP_LDFLAGS) $(LDFLAGS)
python_libs = -L.libs -Wl,-rpath,$(libdir) -Wl,--enable-new-dtags \
	-lctprof -lpthread

python_extensions =

# python_extension SUFFIX INTERPRETER
define python_extension
python_extensions += python/package/ctprof/_ctprof$(1)
python_objects$(1) = $(python_sources:python/%.c=python/build/_ctprof$(1)/%.o)

python/build/_ctprof$(1)/%.o: $(top_srcdir)/python/%.c
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && \
		$$(python_compile) `$(2) $$(python_facts) cflags` \
		-MD -MP -MF $$(@:.o=.d) -c -o $$@ $$<

python/package/ctprof/_ctprof$(1): $$(python_objects$(1)) libctprof.la \
		$(top_srcdir)/python/extension.map
	$$(AM_V_CCLD)$$(MKDIR_P) $$(@D) && \
		$$(python_link) -o $$@ $$(python_objects$(1)) $$(python_libs)
endef

$(foreach build,$(CTP_PYTHON_BUILDS),$(eval $(call python_extension,$(word \
	1,$(subst =, ,$(build))),$(word 2,$(subst =, ,$(build))))))

python/package/%: $(top_srcdir)/python/%
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@

-include $(wildcard python/build/*/*.d)
