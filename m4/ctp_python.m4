# SPDX-License-Identifier: MIT
# The interpreters that the Python package is built for: CTP_PYTHONS, absolute
# paths. CTP_PYTHON_BUILDS has SUFFIX=INTERPRETER for each extension: one does
# for all interpreters with the same suffix. python/build_facts.py asks them.

AC_DEFUN([CTP_PYTHON_ADD], [
	AC_MSG_CHECKING([whether $ctp_name can have extensions])
	AS_IF([ctp_facts=`$ctp_name $srcdir/python/build_facts.py check 2>&1`], [
		ctp_path=`echo "$ctp_facts" | cut -d ' ' -f 1`
		ctp_suffix=`echo "$ctp_facts" | cut -d ' ' -f 2`
		ctp_identity=`echo "$ctp_facts" | cut -d ' ' -f 3`
		AS_CASE([" $ctp_identities "],
			[*" $ctp_identity "*],
			[AC_MSG_RESULT([yes, as above])],
			[AC_MSG_RESULT([yes])
			ctp_identities="$ctp_identities $ctp_identity"
			CTP_PYTHONS="$CTP_PYTHONS${CTP_PYTHONS:+ }$ctp_path"
			AS_CASE([" $CTP_PYTHON_BUILDS"],
				[*" $ctp_suffix="*], [],
				[CTP_PYTHON_BUILDS="$CTP_PYTHON_BUILDS $ctp_suffix=$ctp_path"])])],
		[AC_MSG_RESULT([no])
		AS_IF([test "x$with_python" != x],
			[AC_MSG_ERROR([$ctp_name: $ctp_facts])],
			[AC_MSG_NOTICE([$ctp_name: $ctp_facts])])])
])

AC_DEFUN([CTP_PYTHON], [
	CTP_PYTHONS=
	CTP_PYTHON_BUILDS=
	ctp_identities=
	AS_IF([test "x$with_python" = xyes], [with_python=python3])
	# Extensions are shared libraries, and so must be what they load.
	AS_IF([test "x$enable_shared" = xno], [
		AS_CASE([$with_python], [no|""], [with_python=no],
			[AC_MSG_ERROR([--with-python: not with --disable-shared])])])
	AS_IF([test "x$with_python" != xno], [
		for ctp_name in `echo "${with_python:-python3}" | tr , ' '`; do
			CTP_PYTHON_ADD
		done])
	AC_SUBST([CTP_PYTHONS])
	AC_SUBST([CTP_PYTHON_BUILDS])
	AM_CONDITIONAL([HAVE_PYTHON], [test -n "$CTP_PYTHONS"])
])
