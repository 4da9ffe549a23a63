/* SPDX-License-Identifier: MIT */
/*
 * Repairs many JSON texts in one process. Each is read from standard input
 * after its size in four bytes (little endian), and written to standard output
 * likewise, after the status and the count of each fix. A size beyond the input
 * ends it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_repair/repair.h"

static uint32_t read_number(void)
{
	uint8_t bytes[4];

	if (fread(bytes, 1, sizeof(bytes), stdin) != sizeof(bytes))
		exit(EXIT_SUCCESS);
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void write_number(uint64_t value)
{
	for (int i = 0; i < 4; i++)
		putchar((int)(value >> 8 * i & 0xff));
}

static void mend(char *bytes, size_t size)
{
	char *text = NULL;
	size_t text_size = 0;
	FILE *in = fmemopen(bytes, size, "rb");
	FILE *out = open_memstream(&text, &text_size);
	struct repair_result result;
	struct repair_job job = {.in = in, .out = out};
	enum ctp_status status;

	if (in == NULL || out == NULL)
		exit(EXIT_FAILURE);
	status = repair_run(&job, &result, NULL);
	(void)fclose(in);
	(void)fclose(out);
	write_number((uint32_t)-status);
	write_number(REPAIR_FIXES);
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		write_number(result.fixes.counts[fix]);
	write_number(result.events);
	write_number(text_size);
	(void)fwrite(text, 1, text_size, stdout);
	(void)fflush(stdout);
	free(text);
}

int main(void)
{
	for (;;) {
		size_t size = read_number();
		char *bytes = malloc(size + 1);

		if (bytes == NULL || fread(bytes, 1, size, stdin) != size)
			return EXIT_FAILURE;
		mend(bytes, size);
		free(bytes);
	}
}
