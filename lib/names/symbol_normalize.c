/* SPDX-License-Identifier: MIT */
/*
 * Two passes: the first parses brackets and removes the parts added by C++; the
 * second works word by word, without brackets.
 */
#include "names/symbol_normalize.h"

#include <stdbool.h>
#include <string.h>

#include "names/function_name.h"

#define ADDRESS_DIGITS 4 /* 0x10 is a constant */
#define HASH_HEX 8       /* git's short hashes */
#define HASH_ANY 32      /* Inductor's have 51 letters and digits */
#define SIGNATURE_MIN 4  /* "0d1d" */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool begins(const char *at, const char *end, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(end - at) >= size && memcmp(at, with, size) == 0;
}

static bool ends(const char *start, const char *end, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(end - start) >= size &&
	       memcmp(end - size, with, size) == 0;
}

/* ---- brackets ---- */

/* Whether a list of template arguments begins here. "operator<" and Python's
 * "<lambda>" and "f.<locals>.g" are excluded. */
static bool is_template(const char *start, const char *at)
{
	return *at == '<' && at > start &&
	       (is_letter(at[-1]) || is_digit(at[-1]) || at[-1] == '_') &&
	       !ends(start, at, "operator");
}

/* Returns the end of the bracket; NULL if it is not closed. */
static const char *skip_closed(const char *at, const char *end)
{
	const char *behind = function_name_skip(at, end);
	char close = *at == '<' ? '>' : ')';

	return behind > at + 1 && behind[-1] == close ? behind : NULL;
}

/* Removes "void " from the text added since `start`. */
static void strip_void(struct buffer *out, size_t start)
{
	static const char type[] = "void ";
	char *name = (char *)out->bytes + start;

	if (out->failed || !begins(name, (char *)out->bytes + out->used, type))
		return;
	out->used -= sizeof(type) - 1;
	memmove(name, name + sizeof(type) - 1, out->used - start);
}

/* The parameters of a function template have the types of its arguments. After
 * one unclosed bracket the search stops, to stay linear. */
static void strip_templates(struct buffer *out, const char *name, size_t size)
{
	const char *end = name + size;
	const char *at = name;
	size_t start = out->used;
	bool function = false;
	bool behind_list = false;
	bool closed = true;

	while (at < end) {
		bool list = is_template(name, at);
		const char *behind = NULL;

		if (closed && (list || (behind_list && *at == '('))) {
			behind = skip_closed(at, end);
			closed = behind != NULL;
		}
		behind_list = list && behind != NULL;
		function = function || (!list && behind != NULL);
		if (behind == NULL)
			buffer_add_byte(out, (uint8_t)*at);
		at = behind == NULL ? at + 1 : behind;
	}
	if (function)
		strip_void(out, start);
}

/* ---- suffixes ---- */

/* Size of ".isra.0" or ".cold" with the dot; 0 if it is another text. */
static size_t part_size(const char *name, const char *end)
{
	static const char *const parts[] = {".constprop", ".isra", ".part",
		".cold", ".lto_priv", ".llvm", NULL};
	const char *at = end;

	while (at > name && is_digit(at[-1]))
		at--;
	if (at < end && at > name && at[-1] == '.')
		at--;
	else
		at = end;
	for (const char *const *part = parts; *part != NULL; part++)
		if (ends(name, at, *part) &&
			(size_t)(at - name) > strlen(*part))
			return (size_t)(end - at) + strlen(*part);
	return 0;
}

static const char *strip_parts(const char *name, const char *end)
{
	static const char clone[] = " [clone ";
	const char *found =
		memmem(name, (size_t)(end - name), clone, sizeof(clone) - 1);
	size_t size;

	if (found != NULL && found > name && end[-1] == ']')
		end = found;
	while ((size = part_size(name, end)) != 0)
		end -= size;
	return end;
}

/* "_0d1d2de": which arguments are constants, or divisible. */
static const char *strip_signature(const char *name, const char *end)
{
	const char *at = end;
	bool letter = false;

	while (at > name &&
		(is_digit(at[-1]) || (at[-1] >= 'c' && at[-1] <= 'e')))
		letter = !is_digit(*--at) || letter;
	if (end - at < SIGNATURE_MIN || !letter || *at != '0' ||
		at - name < 2 || at[-1] != '_')
		return end;
	return at - 1;
}

static const char *strip_counter(const char *name, const char *end)
{
	const char *at = end;

	if (!begins(name, end, "triton_"))
		return end;
	while (at > name && is_digit(at[-1]))
		at--;
	return at < end && at[-1] == '_' ? at - 1 : end;
}

/* ---- words ---- */

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Whether a word of letters and digits looks like a hash. */
static bool is_hash(const char *word, size_t size)
{
	size_t digits = 0;
	size_t hex = 0;

	for (size_t i = 0; i < size; i++) {
		if (!is_digit(word[i]) && !is_lower(word[i]))
			return false;
		digits += is_digit(word[i]);
		hex += is_hex(word[i]);
	}
	if (digits < 2 || size - digits < 2)
		return false;
	return size >= HASH_ANY || (size >= HASH_HEX && hex == size);
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* Skips an address, "0x7f12ab"; returns `at` if there is none. */
static const char *skip_address(const char *at, const char *end)
{
	const char *digit = at + 2;

	if (!begins(at, end, "0x"))
		return at;
	while (digit < end &&
		(is_hex(*digit) || (*digit >= 'A' && *digit <= 'F')))
		digit++;
	return digit - at >= 2 + ADDRESS_DIGITS ? digit : at;
}

/* Whether a file name ends here, so that ":12" is a line. */
static bool is_suffix(const char *start, const char *at)
{
	static const char *const suffixes[] = {
		".py", ".c", ".cc", ".cpp", ".cu", ".h", ".hpp", ".rs", NULL};

	for (const char *const *suffix = suffixes; *suffix != NULL; suffix++)
		if (ends(start, at, *suffix))
			return true;
	return false;
}

/* Skips a line, ":12", or a counter, "#5", but not its mark; returns `at` if it
 * is neither. */
static const char *skip_number(
	const char *start, const char *at, const char *end)
{
	if (*at == '#' || (*at == ':' && is_suffix(start, at)))
		return skip_digits(at + 1, end);
	return at;
}

static void add_words(struct buffer *out, const char *text, const char *end)
{
	const char *at = text;

	while (at < end) {
		const char *word = at;

		while (at < end && (is_letter(*at) || is_digit(*at)))
			at++;
		if (at > word) {
			const char *behind = skip_address(word, end);

			if (behind > word) {
				buffer_add_text(out, "0x#");
				at = behind;
			} else if (is_hash(word, (size_t)(at - word))) {
				buffer_add_byte(out, '#');
			} else {
				buffer_add(out, word, (size_t)(at - word));
			}
			continue;
		}
		at = skip_number(text, word, end);
		if (at <= word + 1) {
			buffer_add_byte(out, (uint8_t)*word);
			at = word + 1;
		} else {
			buffer_add_text(out, *word == '#' ? "#" : ":#");
		}
	}
}

void symbol_normalize(struct buffer *out, const char *name, size_t size)
{
	struct buffer plain = BUFFER_INIT;
	const char *start;
	const char *end;

	strip_templates(&plain, name, size);
	if (plain.failed || plain.used == 0) {
		out->failed = out->failed || plain.failed;
		buffer_clear(&plain);
		return;
	}
	start = (const char *)plain.bytes;
	end = strip_parts(start, start + plain.used);
	end = strip_counter(start, strip_signature(start, end));
	add_words(out, start, end);
	buffer_clear(&plain);
}

/* Inductor writes cojxyz….py to the directory "oj". */
static const char *find_short_directory(const char *file, const char *base)
{
	if (base - file < 4 || base[-4] != '/' ||
		memcmp(base - 3, base + 1, 2) != 0)
		return base;
	return base - 3;
}

void symbol_normalize_file(struct buffer *out, const char *file, size_t size)
{
	const char *end = file + size;
	const char *base = memrchr(file, '/', size);
	const char *word;
	const char *directory;

	base = base == NULL ? file : base + 1;
	word = base;
	while (word < end && *word != '.')
		word++;
	directory = is_hash(base, (size_t)(word - base))
			    ? find_short_directory(file, base)
			    : base;
	add_words(out, file, directory);
	if (directory < base)
		buffer_add_text(out, "#/");
	add_words(out, base, end);
}
