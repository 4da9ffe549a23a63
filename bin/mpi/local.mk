# SPDX-License-Identifier: MIT
if HAVE_MPI
bin_PROGRAMS += ctprof-mpi
ctprof_mpi_SOURCES = %D%/main.c %D%/team.c %D%/team.h
ctprof_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
ctprof_mpi_LDADD = libprogram.la $(MPI_LIBS)
endif
