# SPDX-License-Identifier: MIT
# The interpreters that the Python package is built for: CTP_PYTHONS, absolute
# paths. Each is asked itself: python3-config may belong to another one.

# A CPython from 3.11 on, with its headers?
m4_define([CTP_PYTHON_PROGRAM], [[import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(0 if sys.implementation.name == "cpython"
    and (3, 11) <= sys.version_info < (3, 15)
    and os.path.exists(header) else 1)]])

AC_DEFUN([CTP_PYTHON], [
	CTP_PYTHONS=
	AS_IF([test "x$with_python" = xyes], [with_python=python3])
	AS_IF([test "x$with_python" != xno], [
		for ctp_name in `echo "${with_python:-python3}" | tr , ' '`; do
			AC_MSG_CHECKING([whether $ctp_name can load extensions])
			ctp_path=`$ctp_name -c 'import sys; print(sys.executable)' 2>/dev/null`
			AS_IF([test -n "$ctp_path" && "$ctp_path" -c 'CTP_PYTHON_PROGRAM' 2>/dev/null],
				[AC_MSG_RESULT([yes])
				CTP_PYTHONS="$CTP_PYTHONS${CTP_PYTHONS:+ }$ctp_path"],
				[AC_MSG_RESULT([no])
				AS_IF([test "x$with_python" != x],
					[AC_MSG_ERROR([$ctp_name: not CPython 3.11 to 3.14 with its headers])])])
		done])
	AC_SUBST([CTP_PYTHONS])
	AM_CONDITIONAL([HAVE_PYTHON], [test -n "$CTP_PYTHONS"])
])
