/* SPDX-License-Identifier: MIT */
/*
 * A table of chains that is emptied for each unit, since a unit starts without
 * macros, and keeps the size it has grown to.
 */
#include "name.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS ((size_t)4096)

/* clang-format off */
static const struct {
	const char *text;
	enum word word;
} words[] = {
	{"define", WORD_DEFINE},
	{"undef", WORD_UNDEF},
	{"include", WORD_INCLUDE},
	{"import", WORD_INCLUDE},
	{"include_next", WORD_INCLUDE_NEXT},
	{"if", WORD_IF},
	{"ifdef", WORD_IFDEF},
	{"ifndef", WORD_IFNDEF},
	{"elif", WORD_ELIF},
	{"elifdef", WORD_ELIFDEF},
	{"elifndef", WORD_ELIFNDEF},
	{"else", WORD_ELSE},
	{"endif", WORD_ENDIF},
	{"error", WORD_ERROR},
	{"pragma", WORD_PRAGMA},
	{"defined", WORD_DEFINED},
	{"__has_include", WORD_HAS_INCLUDE},
	{"__has_include_next", WORD_HAS_INCLUDE},
	{"once", WORD_ONCE},
	{"__VA_ARGS__", WORD_VA_ARGS},
	{"true", WORD_TRUE},
	{"typedef", WORD_TYPEDEF},
	{"extern", WORD_EXTERN},
	{"__extension__", WORD_SPECIFIER},
	{"auto", WORD_SPECIFIER},
	{"const", WORD_SPECIFIER},
	{"__const", WORD_SPECIFIER},
	{"__const__", WORD_SPECIFIER},
	{"constexpr", WORD_SPECIFIER},
	{"inline", WORD_SPECIFIER},
	{"__inline", WORD_SPECIFIER},
	{"__inline__", WORD_SPECIFIER},
	{"_Noreturn", WORD_SPECIFIER},
	{"register", WORD_SPECIFIER},
	{"restrict", WORD_SPECIFIER},
	{"__restrict", WORD_SPECIFIER},
	{"__restrict__", WORD_SPECIFIER},
	{"static", WORD_SPECIFIER},
	{"_Thread_local", WORD_SPECIFIER},
	{"__thread", WORD_SPECIFIER},
	{"volatile", WORD_SPECIFIER},
	{"__volatile", WORD_SPECIFIER},
	{"__volatile__", WORD_SPECIFIER},
	{"bool", WORD_TYPE},
	{"_Bool", WORD_TYPE},
	{"char", WORD_TYPE},
	{"_Complex", WORD_TYPE},
	{"__complex__", WORD_TYPE},
	{"double", WORD_TYPE},
	{"float", WORD_TYPE},
	{"_Float16", WORD_TYPE},
	{"_Float32", WORD_TYPE},
	{"_Float32x", WORD_TYPE},
	{"_Float64", WORD_TYPE},
	{"_Float64x", WORD_TYPE},
	{"_Float128", WORD_TYPE},
	{"__float128", WORD_TYPE},
	{"int", WORD_TYPE},
	{"__int128", WORD_TYPE},
	{"__int128_t", WORD_TYPE},
	{"__uint128_t", WORD_TYPE},
	{"long", WORD_TYPE},
	{"short", WORD_TYPE},
	{"signed", WORD_TYPE},
	{"__signed", WORD_TYPE},
	{"__signed__", WORD_TYPE},
	{"unsigned", WORD_TYPE},
	{"void", WORD_TYPE},
	{"__builtin_va_list", WORD_TYPE},
	{"struct", WORD_STRUCT},
	{"union", WORD_UNION},
	{"enum", WORD_ENUM},
	{"__attribute__", WORD_ATTRIBUTE},
	{"__attribute", WORD_ATTRIBUTE},
	{"_Alignas", WORD_ATTRIBUTE},
	{"alignas", WORD_ATTRIBUTE},
	{"asm", WORD_ATTRIBUTE},
	{"__asm", WORD_ATTRIBUTE},
	{"__asm__", WORD_ATTRIBUTE},
	{"__declspec", WORD_ATTRIBUTE},
	{"_Pragma", WORD_ATTRIBUTE},
	{"__pragma", WORD_ATTRIBUTE},
	{"_Atomic", WORD_TYPEOF},
	{"typeof", WORD_TYPEOF},
	{"__typeof", WORD_TYPEOF},
	{"__typeof__", WORD_TYPEOF},
	{"_Static_assert", WORD_STATIC_ASSERT},
	{"static_assert", WORD_STATIC_ASSERT},
	{"class", WORD_CPLUSPLUS},
	{"friend", WORD_CPLUSPLUS},
	{"namespace", WORD_CPLUSPLUS},
	{"operator", WORD_CPLUSPLUS},
	{"template", WORD_CPLUSPLUS},
	{"using", WORD_CPLUSPLUS},
};
/* clang-format on */

void name_table_reset(struct name_table *table, struct arena *arena)
{
	if (table->buckets == NULL) {
		table->bucket_count = FIRST_BUCKETS;
		table->buckets = memory_resize(
			NULL, FIRST_BUCKETS, sizeof(table->buckets[0]));
	}
	table->arena = arena;
	table->count = 0;
	memset(table->buckets, 0,
		table->bucket_count * sizeof(table->buckets[0]));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		name_intern(table, words[i].text, strlen(words[i].text))->word =
			words[i].word;
}

void name_table_clear(struct name_table *table)
{
	free(table->buckets);
	*table = (struct name_table){0};
}

static struct name **bucket_of(const struct name_table *table, uint32_t hash)
{
	return &table->buckets[(hash ^ hash >> 15) & (table->bucket_count - 1)];
}

static void grow(struct name_table *table)
{
	struct name **old = table->buckets;
	size_t old_count = table->bucket_count;

	table->bucket_count *= 2;
	table->buckets = memory_resize(
		NULL, table->bucket_count, sizeof(table->buckets[0]));
	memset(table->buckets, 0,
		table->bucket_count * sizeof(table->buckets[0]));
	for (size_t i = 0; i < old_count; i++) {
		while (old[i] != NULL) {
			struct name *name = old[i];
			struct name **bucket = bucket_of(table, name->hash);

			old[i] = name->next;
			name->next = *bucket;
			*bucket = name;
		}
	}
	free(old);
}

static struct name *add(struct name_table *table, const char *text,
	size_t length, uint32_t hash)
{
	struct name *name = arena_alloc(table->arena, sizeof(*name));
	struct name **bucket;

	if (++table->count > 2 * table->bucket_count)
		grow(table);
	bucket = bucket_of(table, hash);
	*name = (struct name){
		.text = arena_text(table->arena, text, length),
		.length = (uint32_t)length,
		.hash = hash,
		.next = *bucket,
	};
	*bucket = name;
	return name;
}

struct name *name_intern(
	struct name_table *table, const char *text, size_t length)
{
	uint32_t hash = 2166136261U; /* FNV-1a */
	struct name *name;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619U;
	for (name = *bucket_of(table, hash); name != NULL; name = name->next)
		if (name->hash == hash && name->length == length &&
			memcmp(name->text, text, length) == 0)
			return name;
	return add(table, text, length, hash);
}
