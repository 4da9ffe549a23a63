/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files given as arguments, once each: `make check`
 * uses it to replay earlier findings, with any compiler. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "fuzz_case.h"

static bool read_file(const char *path, struct buffer *content)
{
	FILE *file = fopen(path, "rb");
	size_t got = 1;

	while (file != NULL && got > 0 && buffer_reserve(content, 65536)) {
		got = fread(content->bytes + content->used, 1, 65536, file);
		content->used += got;
	}
	if (file == NULL || ferror(file) || content->failed) {
		perror(path);
		if (file != NULL)
			(void)fclose(file);
		return false;
	}
	(void)fclose(file);
	return true;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct buffer content = BUFFER_INIT;

		if (!read_file(argv[i], &content))
			return EXIT_FAILURE;
		(void)LLVMFuzzerTestOneInput(content.bytes, content.used);
		buffer_clear(&content);
	}
	printf("%d inputs\n", argc - 1);
	return EXIT_SUCCESS;
}
