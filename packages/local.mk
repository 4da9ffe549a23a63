# SPDX-License-Identifier: MIT
# Packages to hand out: the tarball, Debian's, and wheels.
EXTRA_DIST += debian %D%/COPYING.libraries %D%/Dockerfile %D%/check_wheels.sh \
	%D%/libraries.sh %D%/sdist.sh %D%/wheels.sh
dist_check_SCRIPTS += %D%/deb.sh %D%/release_check.sh

# The same bytes from the same sources: files of one date, without their owner.
# The date is that of the last commit, or of the newest entry of the changelog.
dist_date = $${SOURCE_DATE_EPOCH:-$$(git -C $(srcdir) log -1 --format=%ct \
	2>/dev/null || stat -c %Y $(srcdir)/configure)}
dist dist-all dist-xz distcheck deb: export TAR_OPTIONS = --sort=name \
	--owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w \
	--mtime=@$(shell echo $(dist_date))

# Debian's packages of the tarball, in deb/.
deb: dist-xz
	$(srcdir)/%D%/deb.sh $(distdir).tar.xz deb
.PHONY: deb

# Tarball, packages and wheels with their checksums in release/, if versions
# agree everywhere.
release-check: ctprof$(EXEEXT)
	$(srcdir)/%D%/release_check.sh $(srcdir) release
.PHONY: release-check

# A wheel with everything for each Python: wheels/*.whl. Downloads a compiler.
wheels:
	$(SHELL) $(srcdir)/%D%/wheels.sh wheels
# The sources for pip: wheels/ctprof-VERSION.tar.gz.
sdist: dist-xz
	$(SHELL) $(srcdir)/%D%/sdist.sh $(distdir).tar.xz wheels
# Installs the wheels in minimal systems; as root.
check-wheels:
	$(SHELL) $(srcdir)/%D%/check_wheels.sh wheels
.PHONY: check-wheels sdist wheels
