# SPDX-License-Identifier: MIT
# The extension modules for each interpreter, and the package as Python loads
# it from here: python/package/ctprof. The makefile includes this as it is,
# since automake does not know `define`.
#
# Interpreters whose extensions have the same suffix share one. An extension is
# not linked with libpython: the interpreter that loads it has the symbols, and
# may have no such library. The few that are called for each event are called
# directly, without a procedure linkage table.

python_facts = $(top_srcdir)/python/build_facts.py
python_compile = $(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(CTP_CFLAGS) \
	$(filter-out -finstrument-functions%,$(CFLAGS)) -fPIC -fno-plt
python_link = $(CC) $(CTP_CFLAGS) \
	$(filter-out -finstrument-functions%,$(CFLAGS)) -shared \
	-Wl,--version-script=$(top_srcdir)/python/extension.map \
	$(CTP_LDFLAGS) $(LDFLAGS)
# A package of a distribution sets it to nothing: the linker looks in $(libdir).
PYTHON_RPATH = -Wl,-rpath,$(libdir) -Wl,--enable-new-dtags
python_libs = -L.libs $(PYTHON_RPATH) \
	-lctprof -lpthread
# The conversion code is not in an installed library.
python_convert_libs = .libs/libformats.a $(ZLIB_LIBS) $(LIBDEFLATE_LIBS) \
	$(SQLITE_LIBS) \
	$(CXX_LIBS)

python_extensions =
python_floors =
python_suffix = $(word 1,$(subst =, ,$(1)))
python_interpreter = $(word 2,$(subst =, ,$(1)))

# python_objects SUFFIX INTERPRETER
define python_objects
python/build/objects$(1)/%.o: $(top_srcdir)/python/%.c
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && \
		$$(python_compile) `$(2) $$(python_facts) cflags` \
		-MD -MP -MF $$(@:.o=.d) -c -o $$@ $$<

# Peers of the benchmark.
python_floors += python/bench/bench_floor$(1)
python/bench/bench_floor$(1): $(top_srcdir)/tests/python/bench_floor.c
	$$(AM_V_CCLD)$$(MKDIR_P) $$(@D) && \
		$$(python_compile) `$(2) $$(python_facts) cflags` -shared \
		-o $$@ $$<
endef

# python_extension NAME SUFFIX SOURCES LIBRARY LIBS
define python_extension
python_extensions += python/package/ctprof/$(1)$(2)

python/package/ctprof/$(1)$(2): \
		$(3:python/%.c=python/build/objects$(2)/%.o) $(4) \
		$(top_srcdir)/python/extension.map
	$$(AM_V_CCLD)$$(MKDIR_P) $$(@D) && $$(python_link) -o $$@ \
		$(3:python/%.c=python/build/objects$(2)/%.o) $(5)
endef

$(foreach build,$(CTP_PYTHON_BUILDS),\
	$(eval suffix = $(call python_suffix,$(build))) \
	$(eval $(call python_objects,$(suffix),$(call python_interpreter,\
		$(build)))) \
	$(eval $(call python_extension,_ctprof,$(suffix),$(python_sources),\
		libctprof.la,$$(python_libs))) \
	$(eval $(call python_extension,_convert,$(suffix),\
		$(python_convert_sources),libformats.la,\
		$$(python_convert_libs))))

python/package/%: $(top_srcdir)/python/%
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@

-include $(wildcard python/build/*/*.d python/build/*/*/*.d)
