/* SPDX-License-Identifier: MIT */
/*
 * A name may refer to what stands before in it, and that to what stands before
 * that: a few hundred bytes can mean gigabytes, and names come from files that
 * may be anybody's. So it is first estimated how long the name becomes at
 * most. Source: the C++ ABI for Itanium, section 5.1, "Compression".
 */
#include "names/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The demangler takes time and stack by the length; nobody reads such names. */
#define MANGLED_MAX 8192
#define LONGEST (UINT64_C(1) << 26)
/* References to later parts are taken as such to all that there is. */
#define PARTS 64

#ifdef HAVE_CXA_DEMANGLE

/* libstdc++'s and libc++'s, from the C++ ABI, section 3.4. */
char *__cxa_demangle(
	const char *mangled, char *room, size_t *size, int *status);

/* How long what was read so far may become. */
struct estimate {
	uint64_t bytes;
	uint64_t repeated;     /* so often what follows */
	uint64_t parts[PARTS]; /* how long each is, that was referred to */
	uint32_t part_count;
	uint64_t argument; /* of the template; 0: not known */
};

/* "S_", "S0_", …: a part before it. It was there when it, or a later one, was
 * first referred to. */
static uint64_t part_bytes(struct estimate *estimate, uint32_t part)
{
	if (part >= PARTS)
		return estimate->bytes;
	while (estimate->part_count <= part)
		estimate->parts[estimate->part_count++] = estimate->bytes;
	return estimate->parts[part];
}

/* The number of a reference, from after its letter; 0 digits are number 0.
 * Returns the number of characters that it takes, 0 if it is invalid. */
static size_t read_number(const char *text, uint32_t *number)
{
	size_t size = 0;

	for (*number = 0; text[size] != '_'; size++) {
		char c = text[size];
		uint32_t digit;

		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if (c >= 'A' && c <= 'Z')
			digit = (uint32_t)(c - 'A') + 10;
		else
			return 0;
		*number = *number * 36 + digit;
		if (*number > PARTS)
			*number = PARTS;
	}
	*number += size > 0;
	return size + 1;
}

/* Adds what begins here; returns how many characters that is. */
static size_t add(struct estimate *estimate, const char *at)
{
	uint64_t bytes = 24; /* "std::basic_iostream" and such */
	uint32_t number;
	size_t size = 0;

	if (at[0] == 'S' || at[0] == 'T')
		size = read_number(at + 1, &number);
	if (size != 0 && at[0] == 'S') {
		bytes += part_bytes(estimate, number);
	} else if (size != 0) {
		if (estimate->argument == 0)
			estimate->argument = estimate->bytes;
		bytes += estimate->argument;
	} else if (at[0] == 'I') { /* arguments of another template */
		estimate->argument = 0;
	} else if (at[0] == 'D' && at[1] == 'p') { /* for each of a pack */
		estimate->repeated *= MANGLED_MAX / 64;
	}
	estimate->bytes += bytes * estimate->repeated;
	return 1 + size;
}

static int is_reasonable(const char *mangled)
{
	struct estimate estimate = {.repeated = 1};
	const char *at = mangled;

	while (*at != '\0' && estimate.bytes < LONGEST &&
		estimate.repeated < LONGEST)
		at += add(&estimate, at);
	return *at == '\0' && at - mangled <= MANGLED_MAX;
}

const char *demangle(struct demangler *demangler, const char *mangled)
{
	char *text;
	int status;

	/* Without the prefix it may be a type: "i" would be "int". */
	if (strncmp(mangled, "_Z", 2) != 0 || !is_reasonable(mangled))
		return NULL;
	text = __cxa_demangle(
		mangled, demangler->text, &demangler->room, &status);
	if (text != NULL)
		demangler->text = text;
	return text;
}

#else

const char *demangle(struct demangler *demangler, const char *mangled)
{
	(void)demangler;
	(void)mangled;
	return NULL;
}

#endif

void demangler_clear(struct demangler *demangler)
{
	free(demangler->text);
	*demangler = (struct demangler){0};
}
