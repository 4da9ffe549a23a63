/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as the sums of a part of the inputs. If they can be
 * read, they can be written and read again. */
#include "base/memory.h"
#include "fuzz_case.h"
#include "summary/part_sums.h"

#define FILES 1000

static enum ctp_status read_part(
	struct part_sums *part, const void *bytes, size_t size)
{
	struct cursor cursor;
	struct ctp_error err;

	cursor_init(&cursor, bytes, size);
	return part_sums_read(part, cursor, FILES, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct buffer out = BUFFER_INIT;
	struct part_sums part;
	struct part_sums again = {0};
	struct ctp_error err;

	memory_set_limit(FUZZ_MEMORY);
	if (read_part(&part, bytes, size) == CTP_OK) {
		fuzz_require(part_sums_write(&part, &out, &err) == CTP_OK);
		fuzz_require(read_part(&again, out.bytes, out.used) == CTP_OK);
		fuzz_require(part.file_count == again.file_count);
		fuzz_require(part.status == again.status);
		fuzz_require(part.summary->input_count ==
			     again.summary->input_count);
	}
	part_sums_clear(&part);
	part_sums_clear(&again);
	buffer_clear(&out);
	return 0;
}
