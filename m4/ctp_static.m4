# SPDX-License-Identifier: MIT
# CTP_STATIC(LIBS): with --enable-static-tools, the variable LIBS names the
# archive of each library instead. Without one the library stays shared.
AC_DEFUN([CTP_STATIC], [
	AS_IF([test "x$enable_static_tools" = xyes && test -n "$$1"], [
		ctp_static=
		for ctp_word in $$1; do
			AS_CASE([$ctp_word], [-l:*|-lpthread|-lm|-ldl], [], [-l*], [
				ctp_name=lib`echo "$ctp_word" | cut -c 3-`.a
				ctp_libs=$LIBS
				LIBS="-l:$ctp_name $LIBS"
				AC_MSG_CHECKING([for $ctp_name])
				AC_LINK_IFELSE([AC_LANG_PROGRAM()],
					[AC_MSG_RESULT([yes])
					ctp_word=-l:$ctp_name],
					[AC_MSG_RESULT([no])
					AC_MSG_WARN([$ctp_word stays a shared library])])
				LIBS=$ctp_libs])
			ctp_static="$ctp_static $ctp_word"
		done
		$1=$ctp_static])
])
