# SPDX-License-Identifier: MIT
if HAVE_MPI
bin_PROGRAMS += ctprof-mpi
ctprof_mpi_SOURCES = \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/main.c \
	%D%/part.c %D%/part.h \
	%D%/reader.c %D%/reader.h \
	%D%/team.c %D%/team.h
ctprof_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
ctprof_mpi_LDADD = libprogram.la $(MPI_LIBS)
endif
