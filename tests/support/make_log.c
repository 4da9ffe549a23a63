/* SPDX-License-Identifier: MIT */
/*
 * Makes a log from a recipe (log_recipe.h), or the unpacked blocks from which
 * fuzz_log.c makes one:
 *
 *	make_log [--blocks] RECIPE > FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_recipe.h"

static bool read_all(FILE *file, struct buffer *text)
{
	size_t got = 1;

	while (got > 0 && buffer_reserve(text, 65536)) {
		got = fread(text->bytes + text->used, 1, 65535, file);
		text->used += got;
	}
	buffer_add_byte(text, 0);
	return !ferror(file) && !text->failed;
}

int main(int argc, char **argv)
{
	bool blocks = argc == 3 && strcmp(argv[1], "--blocks") == 0;
	struct buffer recipe = BUFFER_INIT;
	struct buffer log = BUFFER_INIT;
	struct buffer unpacked = BUFFER_INIT;
	const struct buffer *made = blocks ? &unpacked : &log;
	FILE *file = argc < 2 ? NULL : fopen(argv[argc - 1], "r");
	bool good = file != NULL && read_all(file, &recipe);

	if (!good)
		perror(argv[argc - 1]);
	else
		log_recipe_add(&log, (const char *)recipe.bytes);
	/* Broken members have no blocks: prints nothing for those. */
	if (good && blocks && !log_recipe_unpack(&log, &unpacked))
		unpacked.used = 0;
	good = good && fwrite(made->bytes, 1, made->used, stdout) == made->used;
	if (file != NULL)
		(void)fclose(file);
	buffer_clear(&recipe);
	buffer_clear(&log);
	buffer_clear(&unpacked);
	return good && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
