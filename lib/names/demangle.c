/* SPDX-License-Identifier: MIT */
/*
 * Parts of a name may refer to earlier parts, and these to still earlier ones:
 * a few hundred bytes can expand to gigabytes, and names come from untrusted
 * files. So the length of the result is estimated first. Source: the C++ ABI
 * for Itanium, section 5.1, "Compression".
 */
#include "names/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The demangler's time and stack depend on the length; longer names are
 * unreadable. */
#define MANGLED_MAX 8192
#define LONGEST (UINT64_C(1) << 26)
/* References to later parts count as references to everything so far. */
#define PARTS 64

#ifdef HAVE_CXA_DEMANGLE

/* In libstdc++ and libc++; from the C++ ABI, section 3.4. */
char *__cxa_demangle(
	const char *mangled, char *room, size_t *size, int *status);

/* Upper bound of the demangled length so far. */
struct estimate {
	uint64_t bytes;
	uint64_t repeated;     /* factor for what follows */
	uint64_t parts[PARTS]; /* length of each referenced part */
	uint32_t part_count;
	uint64_t argument; /* of the template; 0: unknown */
};

/* "S_", "S0_", …: an earlier part. It existed when it, or a later one, was
 * first referenced. */
static uint64_t part_bytes(struct estimate *estimate, uint32_t part)
{
	if (part >= PARTS)
		return estimate->bytes;
	while (estimate->part_count <= part)
		estimate->parts[estimate->part_count++] = estimate->bytes;
	return estimate->parts[part];
}

/* Reads the number of a reference after its letter; no digits mean 0. Returns
 * the number of characters read, 0 if invalid. */
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

/* Adds the next element; returns its number of characters. */
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
	} else if (at[0] == 'D' && at[1] == 'p') { /* pack expansion */
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

	/* Without the prefix, "i" would be the type "int". */
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
