/* SPDX-License-Identifier: MIT */
/*
 * Sorts any number of records by time in bounded memory: records that do not
 * fit are sorted piece by piece into a temporary file, and the pieces are
 * merged when the records are read.
 *
 * Memory: the size given to extsort_new(), at least 128 KiB; some hundred KiB
 * more for the file, and the longest record once if it does not fit in a part
 * of that. Pages are used as they are filled. On disk: the records and about
 * ten (at most 21) bytes each; slightly more with hundreds of runs.
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
	/* Records of one time are sorted by rank, lowest first. Ranks near 0
	 * need the least room on disk. */
	int64_t rank;
	const void *bytes;
	size_t size;
};

/* NULL if out of memory; free with extsort_free(). Temporary files are made
 * only when this memory is full, in $CTPROF_TMPDIR, $TMPDIR or /tmp, and have
 * no name, so that they never remain. */
struct extsort *extsort_new(size_t memory_bytes);
void extsort_free(struct extsort *sort);

/*
 * Copies a record. Records of equal time and rank stay in the order of adding.
 *
 * Errors: CTP_ERR_IO if it cannot be written, CTP_ERR_NOMEM, CTP_ERR_LIMIT if
 * it is longer than EXTSORT_RECORD_MAX.
 */
enum ctp_status extsort_add(struct extsort *sort,
	const struct extsort_record *record, struct ctp_error *err);

/* Reverses the order of records of equal time and rank, including those already
 * added. Call it at most once, before extsort_sort(). */
void extsort_reverse_ties(struct extsort *sort);

/* Call it once, after the last record. Errors: CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status extsort_sort(struct extsort *sort, struct ctp_error *err);

/*
 * Reduces the memory after extsort_sort() to `bytes`, using the file if
 * necessary.
 *
 * Errors: as extsort_sort().
 */
enum ctp_status extsort_shrink(
	struct extsort *sort, size_t memory_bytes, struct ctp_error *err);

/*
 * The next record, or CTP_END. Its bytes are not aligned.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM. Ownership: the bytes are borrowed until
 * the next call.
 */
enum ctp_status extsort_next(struct extsort *sort, struct extsort_record *out,
	struct ctp_error *err);

#endif
