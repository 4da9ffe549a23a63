/* SPDX-License-Identifier: MIT */
/* The known name nearest to a misspelt word: "did you mean ...?" */
#ifndef SUGGESTION_H
#define SUGGESTION_H

#include <stddef.h>

struct suggestion {
	const char *word;    /* as given; borrowed */
	const char *nearest; /* borrowed; NULL: no name is near */
	size_t distance;     /* of the nearest, unless it is NULL */
};

/* Considers a name, which is borrowed. The first of equally near names wins. */
void suggestion_add(struct suggestion *suggestion, const char *name);

#endif
