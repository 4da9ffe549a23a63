# SPDX-License-Identifier: MIT
# Tests of packages: too long for `make check`.
package_tests = \
	%D%/dockerfile.sh \
	%D%/tarball.sh \
	%D%/debs.sh \
	%D%/same_debs.sh \
	%D%/wheels.sh \
	%D%/same_wheels.sh
dist_check_SCRIPTS += $(package_tests)
# After `make deb wheels sdist`.
check-packages: all
	@failed=0; for test in $(package_tests); do \
		$(AM_TESTS_ENVIRONMENT) srcdir='$(srcdir)' \
			$(srcdir)/$$test || [ $$? = 77 ] || failed=1; \
	done; exit $$failed
.PHONY: check-packages
