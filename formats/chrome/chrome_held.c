/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_held.h"

#include <string.h>

#include "base/memory.h"

struct chrome_held_piece {
	struct chrome_held_piece *next;
	size_t size;
	char bytes[];
};

void chrome_held_clear(struct chrome_held *held)
{
	while (held->first != NULL) {
		struct chrome_held_piece *piece = held->first;

		held->first = piece->next;
		memory_free(piece);
	}
}

void chrome_held_join(struct chrome_held *held, struct chrome_held *more)
{
	if (more->first == NULL)
		return;
	if (held->first == NULL)
		held->first = more->first;
	else
		held->last->next = more->first;
	held->last = more->last;
	*more = (struct chrome_held){NULL, NULL};
}

bool chrome_held_add(struct chrome_held *held, const struct json *json)
{
	struct chrome_held_piece *piece = NULL;
	struct chrome_held more;

	if (!json->failed)
		piece = memory_new(sizeof(*piece) + json->used);
	if (piece == NULL)
		return false;
	piece->next = NULL;
	piece->size = json->used;
	memcpy(piece->bytes, json->bytes, json->used);
	more = (struct chrome_held){piece, piece};
	chrome_held_join(held, &more);
	return true;
}

size_t chrome_held_write(struct chrome_held *held, struct json *json)
{
	size_t size = 0;

	for (const struct chrome_held_piece *piece = held->first; piece != NULL;
		piece = piece->next) {
		json_raw(json, piece->bytes, piece->size);
		size += piece->size;
	}
	chrome_held_clear(held);
	return size;
}
