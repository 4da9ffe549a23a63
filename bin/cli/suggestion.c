/* SPDX-License-Identifier: MIT */
#include "cli/suggestion.h"

#include <stdint.h>
#include <string.h>

#define DISTANCE_MAX 3 /* larger distances are unrelated words */

/* Edit distance: letters to change, add or remove. Words longer than any of our
 * names are far from all of them. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[32];
	size_t size = strlen(b);

	if (strlen(a) >= 32 || size >= 32)
		return SIZE_MAX;
	for (size_t j = 0; j <= size; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= size; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[size];
}

void suggestion_add(struct suggestion *suggestion, const char *name)
{
	size_t distance = edit_distance(suggestion->word, name);

	if (distance > DISTANCE_MAX ||
		2 * distance > strlen(suggestion->word) ||
		(suggestion->nearest != NULL &&
			distance >= suggestion->distance))
		return;
	suggestion->nearest = name;
	suggestion->distance = distance;
}
