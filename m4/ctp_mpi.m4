# SPDX-License-Identifier: MIT
# CTP_MPI sets have_mpi, and MPI_CFLAGS and MPI_LIBS as the compiler's wrapper
# has them: Open MPI's prints them with -showme, MPICH's with -compile-info, after
# the compiler's name. Its headers are a system's, so they cause no warnings.
AC_DEFUN([CTP_MPI], [
have_mpi=no
AS_IF([test "x$with_mpi" != xno], [
	AC_PATH_PROG([MPICC], [mpicc])
	AS_IF([test -n "$MPICC"], [
		MPI_CFLAGS=`$MPICC -showme:compile 2>/dev/null`
		AS_IF([test $? -eq 0],
			[MPI_LIBS=`$MPICC -showme:link 2>/dev/null`],
			[MPI_CFLAGS=`$MPICC -compile-info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`
			MPI_LIBS=`$MPICC -link-info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`])
		MPI_CFLAGS=`echo " $MPI_CFLAGS" | sed 's/ -I/ -isystem /g'`
		ctp_cppflags=$CPPFLAGS ctp_libs=$LIBS
		CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$LIBS $MPI_LIBS"
		AC_MSG_CHECKING([for MPI 3])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error
#endif]], [[MPI_Init(0, 0);]])], [have_mpi=yes])
		AC_MSG_RESULT([$have_mpi])
		CPPFLAGS=$ctp_cppflags LIBS=$ctp_libs])
	AS_IF([test "x$with_mpi$have_mpi" = xyesno],
		[AC_MSG_ERROR([--with-mpi: mpicc is missing, or its MPI is older than 3.0])])])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
])
