/* SPDX-License-Identifier: MIT */
/*
 * Identifiers, each kept once, so that equal names are equal pointers and the
 * macro of a name is one load away.
 */
#ifndef NAME_H
#define NAME_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct file;
struct macro;

/* Words that the preprocessor or the parser knows. WORD_NONE: any other. */
enum word {
	WORD_NONE = 0,
	/* directives; `if` and `else` are keywords as well */
	WORD_DEFINE,
	WORD_UNDEF,
	WORD_INCLUDE,
	WORD_INCLUDE_NEXT,
	WORD_IF,
	WORD_IFDEF,
	WORD_IFNDEF,
	WORD_ELIF,
	WORD_ELIFDEF,
	WORD_ELIFNDEF,
	WORD_ELSE,
	WORD_ENDIF,
	WORD_ERROR,
	WORD_PRAGMA,
	/* operators of #if, and names with a meaning in macros */
	WORD_DEFINED,
	WORD_HAS_INCLUDE,
	WORD_ONCE,
	WORD_VA_ARGS,
	WORD_TRUE,
	/* declarations */
	WORD_TYPEDEF,
	WORD_EXTERN,
	WORD_SPECIFIER, /* static, inline, const, ...: ignored here */
	WORD_TYPE,      /* int, char, ... */
	WORD_STRUCT,
	WORD_UNION,
	WORD_ENUM,
	WORD_ATTRIBUTE,     /* __attribute__, __asm__, ...: with parentheses */
	WORD_TYPEOF,        /* a type in parentheses */
	WORD_STATIC_ASSERT, /* a declaration of its own */
	WORD_CPLUSPLUS,     /* class, namespace, template, ...: not ours */
};

struct name {
	const char *text; /* ends with a NUL */
	uint32_t length;
	uint32_t hash;
	enum word word;
	struct macro *macro; /* NULL: not defined */
	struct file *file;   /* if the name is a path: what is there */
	struct name *next;   /* in the same bucket */
};

/* All zero is an empty table. */
struct name_table {
	struct arena *arena;
	struct name **buckets;
	size_t bucket_count; /* a power of two */
	size_t count;
};

/* Empties the table and enters the words. `arena` is borrowed. */
void name_table_reset(struct name_table *table, struct arena *arena);

void name_table_clear(struct name_table *table);

/* The name of these bytes, made if it is new. */
struct name *name_intern(
	struct name_table *table, const char *text, size_t length);

#endif
