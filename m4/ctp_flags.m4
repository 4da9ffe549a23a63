# SPDX-License-Identifier: MIT
# CTP_FLAGS: the warnings, visibility and sanitizers that every target gets,
# in CTP_CFLAGS and CTP_LDFLAGS. CFLAGS is the user's.

# CTP_TRY_CFLAG(FLAG): adds the flag if the compiler takes it.
AC_DEFUN([CTP_TRY_CFLAG], [
	AS_VAR_PUSHDEF([cache], [ctp_cv_cflag_$1])
	AC_CACHE_CHECK([whether $CC takes $1], [cache], [
		ctp_saved_cflags=$CFLAGS
		CFLAGS="$CFLAGS -Werror $1"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
			[AS_VAR_SET([cache], [yes])],
			[AS_VAR_SET([cache], [no])])
		CFLAGS=$ctp_saved_cflags])
	AS_VAR_IF([cache], [yes], [CTP_CFLAGS="$CTP_CFLAGS $1"])
	AS_VAR_POPDEF([cache])
])

AC_DEFUN([CTP_FLAGS], [
	CTP_CFLAGS="-fvisibility=hidden"
	CTP_LDFLAGS=
	m4_foreach_w([flag], [-Wall -Wextra -Wconversion -Wsign-conversion
		-Wshadow -Wmissing-prototypes -Wstrict-prototypes
		-Wold-style-definition -Wpointer-arith -Wcast-qual
		-Wwrite-strings -Wvla -Wformat=2 -Wundef],
		[CTP_TRY_CFLAG(flag)])
	AS_IF([test "x$enable_werror" = xyes],
		[CTP_CFLAGS="$CTP_CFLAGS -Werror"])
	AS_CASE([$enable_sanitizers],
		[yes], [ctp_sanitize="-fsanitize=address,undefined"],
		[thread], [ctp_sanitize="-fsanitize=thread"],
		[""|no], [ctp_sanitize=],
		[AC_MSG_ERROR([--enable-sanitizers: yes, thread or no])])
	AS_IF([test -n "$ctp_sanitize"], [
		CTP_CFLAGS="$CTP_CFLAGS $ctp_sanitize"
		CTP_CFLAGS="$CTP_CFLAGS -fno-sanitize-recover=all"
		CTP_CFLAGS="$CTP_CFLAGS -fno-omit-frame-pointer"
		CTP_LDFLAGS="$CTP_LDFLAGS $ctp_sanitize"])
	AC_SUBST([CTP_CFLAGS])
	AC_SUBST([CTP_LDFLAGS])
])
