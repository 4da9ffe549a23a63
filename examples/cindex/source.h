/* SPDX-License-Identifier: MIT */
/*
 * The text of a file, with its line splices taken out.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

/* No header is that large; a generated or hostile file may be. */
#define SOURCE_MAX_BYTES ((size_t)32 << 20)

struct source {
	char *text; /* ends with a NUL, which is not counted */
	size_t length;
};

/*
 * Reads a regular file. Returns whether it is there and can be read.
 *
 * Ownership: the text is the arena's.
 */
bool source_read(const char *path, struct arena *arena, struct source *source);

/* Takes the line splices out, in place. */
void source_splice(struct source *source);

#endif
