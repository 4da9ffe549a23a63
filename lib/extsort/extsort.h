/* SPDX-License-Identifier: MIT */
/*
 * Sorts any number of records by time in bounded memory: records that do not
 * fit are sorted piece by piece into a temporary file, and the pieces are
 * merged when the records are read.
 *
 * Memory: the size given to extsort_new(), 128 KiB at least; some hundred KiB
 * more for the file, and the longest record once if it does not fit into a part
 * of that. Pages are taken as they are filled. On disk: the records and some
 * ten bytes each, 21 at most; a little more while there are some hundred pieces
 * or more.
 */
#ifndef EXTSORT_H
#define EXTSORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define EXTSORT_RECORD_MAX ((size_t)64 << 20)

struct extsort;

struct extsort_record {
	int64_t time_ns;
	/* Among those of one time, the least comes first. It takes the less
	 * room on disk the nearer it is to 0. */
	int64_t rank;
	const void *bytes;
	size_t size;
};

/* NULL if out of memory; free with extsort_free(). Temporary files are made
 * only when this memory is full, in $CTPROF_TMPDIR, $TMPDIR or /tmp, and have
 * no name: nothing is left of them whatever happens. */
struct extsort *extsort_new(size_t memory_bytes);
void extsort_free(struct extsort *sort);

/*
 * Copies a record. Records of one time and rank stay in the order of adding.
 *
 * Errors: CTP_ERR_IO if it cannot be written, CTP_ERR_NOMEM, CTP_ERR_LIMIT if
 * it is longer than EXTSORT_RECORD_MAX.
 */
enum ctp_status extsort_add(struct extsort *sort,
	const struct extsort_record *record, struct ctp_error *err);

/* Records of one time and rank come in the reverse order of adding, including
 * those already added. At most once, before extsort_sort(). */
void extsort_reverse_ties(struct extsort *sort);

/* After the last record, once. Errors: CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status extsort_sort(struct extsort *sort, struct ctp_error *err);

/*
 * After extsort_sort(): returns memory, down to `bytes`, by way of the file if
 * need be.
 *
 * Errors: as extsort_sort().
 */
enum ctp_status extsort_shrink(
	struct extsort *sort, size_t memory_bytes, struct ctp_error *err);

/*
 * The next record, or CTP_END. Its bytes are aligned for nothing.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM. Ownership: the bytes are borrowed until
 * the next call.
 */
enum ctp_status extsort_next(struct extsort *sort, struct extsort_record *out,
	struct ctp_error *err);

#endif
