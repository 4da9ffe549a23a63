# SPDX-License-Identifier: MIT
# Tests, in folders like the code that they test. Each fragment adds to c_tests,
# programs of Check; shell_tests; and test_programs, which shell tests run.
c_tests =
shell_tests =
test_programs =

# Code shared by tests: made events, logs and profiles.
check_LTLIBRARIES += %D%/libcases.la
tests_libcases_la_SOURCES =

check_LIBS = $(CHECK_LIBS) -lpthread
# All tests link statically; tests of exported functions take libctprof.
LDADD = %D%/support/sanitized_fork.$(OBJEXT) %D%/libcases.la libprogram.la \
	librecorder.la $(JANSSON_LIBS) $(check_LIBS)
record_LDADD = %D%/support/sanitized_fork.$(OBJEXT) %D%/libcases.la \
	libcore.la libctprof.la $(check_LIBS)

# The longest test comes first, and the short programs of Check last, so that no
# processor waits for another at the end.
include tests/python/local.mk
include tests/bench/local.mk
include tests/bin/cli/local.mk
include tests/bin/compare/local.mk
include tests/bin/compilations/local.mk
include tests/bin/findings/local.mk
include tests/bin/gpu/local.mk
include tests/bin/input/local.mk
include tests/bin/local.mk
include tests/bin/mpi/local.mk
include tests/bin/record/local.mk
include tests/bin/report/local.mk
include tests/bin/stats/local.mk
include tests/bin/timeline/local.mk
include tests/bin/view/local.mk
include tests/examples/local.mk
include tests/formats/chrome/local.mk
include tests/formats/chrome_read/local.mk
include tests/formats/flamegraph/local.mk
include tests/formats/io/local.mk
include tests/formats/json_repair/local.mk
include tests/formats/local.mk
include tests/formats/log/local.mk
include tests/formats/pprof/local.mk
include tests/formats/protobuf/local.mk
include tests/formats/pstats/local.mk
include tests/formats/speedscope/local.mk
include tests/formats/sqlite/local.mk
include tests/formats/timeline/local.mk
include tests/formats/torch_trace/local.mk
include tests/fuzz/local.mk
include tests/gpu/local.mk
include tests/lib/base/local.mk
include tests/lib/compare/local.mk
include tests/lib/cupti/local.mk
include tests/lib/extsort/local.mk
include tests/lib/gaps/local.mk
include tests/lib/instrument/local.mk
include tests/lib/json/local.mk
include tests/lib/log/local.mk
include tests/lib/log_read/local.mk
include tests/lib/markers/local.mk
include tests/lib/names/local.mk
include tests/lib/operators/local.mk
include tests/lib/pack/local.mk
include tests/lib/phases/local.mk
include tests/lib/profile/local.mk
include tests/lib/ranks/local.mk
include tests/lib/recorder/local.mk
include tests/lib/recover/local.mk
include tests/lib/roofline/local.mk
include tests/lib/summary/local.mk
include tests/lib/symbols/local.mk
include tests/lib/trace/local.mk
include tests/lib/transform/local.mk
include tests/packages/local.mk
include tests/project/local.mk
include tests/support/local.mk
include tests/torch/local.mk

check_PROGRAMS += $(test_programs)
dist_check_SCRIPTS += $(shell_tests) %D%/run.sh
TESTS += $(shell_tests)
if HAVE_CHECK
check_PROGRAMS += $(c_tests)
TESTS += $(c_tests)
endif
TEST_EXTENSIONS = .sh
EXTRA_DIST += %D%/threads.supp %D%/traces %D%/layers.txt %D%/requirements-format.txt %D%/requirements-gpu.txt %D%/requirements-markers.txt %D%/requirements-packages.txt %D%/requirements-peers.txt %D%/requirements-scale.txt %D%/requirements-traces.txt %D%/requirements-viewers.txt %D%/requirements-wheels.txt

# A built-in rule would make a directory from a newer script of its name.
%: %.sh
AM_TESTS_ENVIRONMENT = \
	CTPROF="$$PWD/ctprof$(EXEEXT)"; export CTPROF; \
	CLI_PROGRAM="$$PWD/tests/bin/cli_program$(EXEEXT)"; export CLI_PROGRAM; \
	CC="$(CC)"; export CC; CXX="$(CXX)"; export CXX; \
	LN_S="$(LN_S)"; export LN_S; \
	CTP_PYTHONS="$(CTP_PYTHONS)"; export CTP_PYTHONS; \
	PYTHON3="$$PWD/venv/bin/python"; \
	[ -x "$$PYTHON3" ] || PYTHON3=python3; export PYTHON3; \
	PATH="$$PWD/venv/bin:$$PATH"; export PATH; \
	CK_DEFAULT_TIMEOUT="$${CK_DEFAULT_TIMEOUT:-30}"; \
	CK_TIMEOUT_MULTIPLIER="$${CK_TIMEOUT_MULTIPLIER:-4}"; \
	export CK_DEFAULT_TIMEOUT CK_TIMEOUT_MULTIPLIER; \
	unset CTPROF_OUT CTPROF_OUT_EXCL NO_COLOR;

# Tests of the installed files share one installation. It is complete before any
# test starts: while libtool installs, it links libraries in the build again. A
# program that is started then finds no library, or half of one.
tests_of_installation = \
	tests/project/installed.sh \
	tests/project/pages.sh \
	tests/python/python_install.sh \
	tests/python/python_pip.sh
$(TEST_LOGS): | $(if $(filter $(tests_of_installation),$(TESTS)),test-installation)
test-installation: all
	@rm -rf tests/installation tests/installation.out
	@$(MAKE) install DESTDIR='$(abs_builddir)/tests/installation' \
		>tests/installation.out 2>&1 || { cat tests/installation.out; exit 1; }
.PHONY: test-installation

# make check-recorder, check-chrome, check-lib and so on run the tests in
# folders of that name. They build only these, and the programs of shell tests.
room_checks = $(addprefix check-,$(sort $(filter-out tests,	$(subst /, ,$(dir $(TESTS))))))
room_tests = $(foreach test,$(TESTS),$(if $(findstring /$(1)/,$(test)),$(test)))
$(room_checks): check-%: all
	@$(MAKE) $(test_programs:=$(EXEEXT)) $(check_LTLIBRARIES)
	@$(MAKE) check-TESTS TESTS='$(call room_tests,$*)'
.PHONY: $(room_checks)

clean-local:
	rm -rf python/bench python/build python/package
	rm -rf fuzz guide tests/installation tests/installation.out

# The recorder under ThreadSanitizer, in a build configured with
# --enable-sanitizers=thread. After a fork beside threads it refuses to start
# threads, as a child that records does. That is safe here: the child leaves the
# other threads' data alone.
thread_tests = \
	tests/lib/recorder/test_device_log \
	tests/lib/instrument/test_functions \
	tests/lib/log_read/test_log_ahead \
	tests/lib/profile/test_call_workers \
	tests/lib/pack/test_pack \
	tests/lib/recorder/test_record \
	tests/lib/recorder/test_record_closed \
	tests/lib/recorder/test_record_disk \
	tests/lib/recorder/test_record_fork \
	tests/lib/recorder/test_record_life \
	tests/lib/recorder/test_record_load \
	tests/lib/recorder/test_record_process \
	tests/lib/recorder/test_record_site \
	tests/lib/recorder/test_record_thread \
	tests/lib/instrument/test_shadow \
	tests/lib/pack/test_spool
# THREADS_READER is the ctprof of another build: this one then needs none of its own.
thread_programs = $(if $(THREADS_READER),,ctprof) tests/lib/cupti/fake/libcuda.la tests/lib/cupti/fake/libcupti.la \
	tests/lib/cupti/cupti_check tests/lib/cupti/cupti_program libctprof-inject.la
thread_runs = $(thread_tests:=.threads)
# The longest begin first.
check-threads: tests/lib/recorder/test_record_fork.threads \
	tests/lib/cupti/cupti_fake.threads \
	tests/lib/recorder/test_record_load.threads $(thread_runs)
thread_suppressions = suppressions='$(abs_srcdir)/tests/threads.supp'
EXTRA_DIST += tests/threads.supp
thread_environment = $(AM_TESTS_ENVIRONMENT) srcdir='$(srcdir)' \
	TSAN_OPTIONS="die_after_fork=0 $(thread_suppressions) $$TSAN_OPTIONS"
$(thread_runs): %.threads: %$(EXEEXT)
	@$(thread_environment) ./$<
tests/lib/cupti/cupti_fake.threads: $(thread_programs)
	@$(thread_environment) $(if $(THREADS_READER),CTPROF='$(THREADS_READER)') \
		$(srcdir)/tests/lib/cupti/cupti_fake.sh
.PHONY: check-threads tests/lib/cupti/cupti_fake.threads $(thread_runs)

