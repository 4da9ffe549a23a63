/* SPDX-License-Identifier: MIT */
/*
 * One pass from the left that keeps the best candidate so far. A space ends a
 * return type and restarts the name, brackets are skipped as a whole, and
 * parameters before "::" belong to an enclosing function.
 */
#include "names/function_name.h"

#include <string.h>

struct scan {
	const char *at;
	const char *end;
	struct buffer *out;
	size_t start; /* of the name in `out` */
	/* In `operator TYPE`, whose spaces belong to the name. */
	bool conversion;
	unsigned declarators; /* number entered so far */
};

/* Functions that return pointers to functions that return …: bounds the time
 * for hostile names; real ones have fewer. */
#define DECLARATORS_MAX 16

#define ANONYMOUS "(anonymous namespace)"

/* Longer ones first. */
static const char *const operators[] = {"()", "[]", "->*", "<=>",
	"<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-",
	"*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",", "\"\" ",
	"\"\"", " new[]", " new", " delete[]", " delete", " co_await", NULL};

/* Prefixes of functions that forward to another. */
static const char *const prefixes[] = {"non-virtual thunk to ",
	"virtual thunk to ", "covariant return thunk to ",
	"TLS init function for ", "TLS wrapper function for ",
	"transaction clone for ", "non-transaction clone for ", NULL};

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}

static bool begins(const char *at, const char *end, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(end - at) >= size && memcmp(at, with, size) == 0;
}

/* Size of the first item of `list` that the text begins with; 0 if none. */
static size_t size_of_any(
	const char *at, const char *end, const char *const *list)
{
	for (; *list != NULL; list++)
		if (begins(at, end, *list))
			return strlen(*list);
	return 0;
}

/* Whether the keyword is here, not as part of a word; `first` is the start of
 * the name. */
static bool is_operator(const char *at, const char *first, const char *end)
{
	static const char word[] = "operator";

	return begins(at, end, word) && (at == first || !is_word(at[-1])) &&
	       (at + sizeof(word) - 1 == end || !is_word(at[sizeof(word) - 1]));
}

/* Returns the end of the bracket that begins here; `end` if it is not closed.
 * Inside round brackets, < and > may be operators. */
static const char *skip_bracket(const char *at, const char *end)
{
	const char open = *at;
	const char close = open == '(' ? ')' : open == '{' ? '}' : ']';
	size_t depth = 0;

	for (; at < end; at++) {
		if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at + 1;
	}
	return end;
}

static const char *skip_angle(const char *at, const char *end)
{
	const char *first = at;
	size_t depth = 0;

	while (at < end) {
		if (*at == '(' || *at == '{') {
			at = skip_bracket(at, end);
			continue;
		}
		if (is_operator(at, first, end)) {
			at += strlen("operator");
			at += size_of_any(at, end, operators);
			continue;
		}
		if (*at == '<')
			depth++;
		else if (*at == '>' && at[-1] != '-' && --depth == 0)
			return at + 1;
		at++;
	}
	return end;
}

const char *function_name_inner(const char *name, const char *end)
{
	const char *at = name;

	while (at < end)
		if (*at == '(' || *at == '{' || *at == '[' ||
			(at == name && *at == '<'))
			at = function_name_skip(at, end);
		else if (begins(at, end, "::"))
			return at + 2;
		else if (is_operator(at, name, end) &&
			 begins(at, end, "operator "))
			return NULL; /* the type may have scopes */
		else
			at++;
	return NULL;
}

/* Skips a first word of letters if it is capitalized. */
static const char *skip_capital(const char *name, const char *end)
{
	const char *at = name;

	if (at == end || *at < 'A' || *at > 'Z')
		return at;
	while (at < end &&
		((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')))
		at++;
	return at;
}

/* Whether the space is one of a phrase. Labels have "ns::f #2", and PyTorch
 * "autograd::engine::evaluate_function: AddBackward". */
static bool is_gap(const char *name, const char *at, const char *end)
{
	return *at == ' ' && (at == name || at[-1] != ':') &&
	       (at + 1 == end || at[1] != '#');
}

bool function_name_has_scopes(const char *name, size_t size)
{
	const char *end = name + size;
	const char *behind = skip_capital(name, end);
	bool spaces = false;
	bool parameters = false;

	if (memmem(name, size, "::", 2) == NULL ||
		(behind < end && behind > name && *behind == ' '))
		return false;
	for (const char *at = name; at < end;) {
		spaces |= is_gap(name, at, end);
		parameters |= *at == '(';
		if (*at == '(' || *at == '<' || *at == '{' || *at == '[')
			at = function_name_skip(at, end);
		else
			at++;
	}
	return !spaces || parameters;
}

const char *function_name_skip(const char *at, const char *end)
{
	return *at == '<' ? skip_angle(at, end) : skip_bracket(at, end);
}

static void copy_to(struct scan *scan, const char *to)
{
	buffer_add(scan->out, scan->at, (size_t)(to - scan->at));
	scan->at = to;
}

static void begin_anew(struct scan *scan)
{
	scan->out->used = scan->start;
	scan->conversion = false;
}

static bool is_empty(const struct scan *scan)
{
	return scan->out->used == scan->start;
}

static bool ends_with(const struct scan *scan, const char *word)
{
	size_t size = strlen(word);
	size_t used = scan->out->used - scan->start;

	return !scan->out->failed && used >= size &&
	       memcmp(scan->out->bytes + scan->out->used - size, word, size) ==
		       0;
}

static void scan_operator(struct scan *scan)
{
	const char *to = scan->at + strlen("operator");
	size_t size = size_of_any(to, scan->end, operators);

	scan->conversion = size == 0;
	copy_to(scan, to + size);
	/* "operator< <int>": the space separates the two. */
	if (size != 0 && begins(scan->at, scan->end, " <"))
		scan->at++;
}

/* In "void (*name(int))(char)", or "(A::*name…": the position after the star;
 * NULL for other forms. */
static const char *find_declarator(const char *at, const char *end)
{
	while (++at < end && *at != '(' && *at != ')') {
		if (*at == '<')
			at = skip_angle(at, end) - 1;
		else if (*at == '*' || *at == '&')
			return at + 1;
	}
	return NULL;
}

/* Skips qualifiers between parameters and "::". */
static void skip_qualifiers(struct scan *scan)
{
	static const char *const qualifiers[] = {
		" const", " volatile", " &&", " &", "&&", "&", NULL};
	size_t size;

	while ((size = size_of_any(scan->at, scan->end, qualifiers)) != 0)
		scan->at += size;
}

/* Handles a round bracket. False if the name ends here. */
static bool scan_round(struct scan *scan)
{
	const char *behind = skip_bracket(scan->at, scan->end);
	const char *inside = find_declarator(scan->at, behind);

	if (begins(scan->at, scan->end, ANONYMOUS)) {
		copy_to(scan, scan->at + strlen(ANONYMOUS));
	} else if (scan->conversion && inside == scan->at + 2) {
		/* operator void (*)(int)() */
		copy_to(scan, behind);
		if (scan->at < scan->end && *scan->at == '(')
			copy_to(scan, skip_bracket(scan->at, scan->end));
	} else if (is_empty(scan) && inside != NULL &&
		   scan->declarators++ < DECLARATORS_MAX) {
		scan->at = inside;
		scan->end = behind > inside ? behind - 1 : inside;
	} else if (is_empty(scan) || ends_with(scan, "decltype")) {
		scan->at = behind;
	} else {
		scan->at = behind;
		skip_qualifiers(scan);
		scan->conversion = false;
		return begins(scan->at, scan->end, "::");
	}
	return true;
}

/* Handles an angle bracket. At the start, and in Rust unless it has arguments,
 * it is a scope: "<T as ns::Trait>::f", "ns::<impl T>::f", but not in
 * "ns::f::<T>". */
static void scan_angle(struct scan *scan)
{
	const char *behind = skip_angle(scan->at, scan->end);

	if (is_empty(scan) || begins(scan->at, scan->end, "<impl ") ||
		begins(scan->at, scan->end, "<lambda")) {
		copy_to(scan, behind);
		return;
	}
	if (ends_with(scan, "::") && scan->out->used - scan->start > 2)
		scan->out->used -= 2;
	scan->at = behind;
}

/* Whether the text after the space is a place, "ns::f (a.rs:3)", or a number,
 * "ns::f #2", as in labels. */
static bool is_after_name(const struct scan *scan)
{
	const char *at = scan->at + 1;

	if (is_empty(scan) || at == scan->end)
		return false;
	return *at == '#' ||
	       (*at == '(' && !ends_with(scan, "decltype") &&
		       !begins(at, scan->end, ANONYMOUS) &&
		       find_declarator(at, skip_bracket(at, scan->end)) ==
			       NULL);
}

/* Handles a space outside of brackets. False if the name ends here. */
static bool scan_space(struct scan *scan)
{
	if (begins(scan->at, scan->end, " [clone") ||
		(!scan->conversion && is_after_name(scan)))
		return false;
	/* A type never ends with a colon, unlike PyTorch's
	 * "autograd::engine::evaluate_function: AddBackward". */
	if (scan->conversion || ends_with(scan, ":")) {
		copy_to(scan, scan->at + 1);
		return true;
	}
	scan->at++;
	begin_anew(scan);
	return true;
}

/* Handles one piece of the name. False if it ends here. */
static bool scan_next(struct scan *scan, const char *first)
{
	switch (*scan->at) {
	case '<':
		scan_angle(scan);
		return true;
	case '(':
		return scan_round(scan);
	case '{':
		copy_to(scan, skip_bracket(scan->at, scan->end));
		return true;
	case ' ':
		return scan_space(scan);
	default:
		if (is_operator(scan->at, first, scan->end)) {
			scan_operator(scan);
			return true;
		}
		break;
	}
	copy_to(scan, scan->at + 1);
	return true;
}

void function_name_add_short(struct buffer *out, const char *name, size_t size)
{
	struct scan scan = {.at = name, .end = name + size, .out = out};
	size_t before = out->used;

	copy_to(&scan, name + size_of_any(name, scan.end, prefixes));
	scan.start = out->used;
	while (scan.at < scan.end && scan_next(&scan, name))
		continue;
	if (is_empty(&scan)) {
		out->used = before;
		buffer_add(out, name, size);
	}
}

bool function_name_find_place(const char *name, struct function_place *place)
{
	const char *end = strstr(name, "): ");
	const char *at = end;
	uint64_t line = 0;
	uint64_t unit = 1;

	if (end == NULL || end[3] == '\0')
		return false;
	for (; at > name && at[-1] >= '0' && at[-1] <= '9'; at--, unit *= 10) {
		if (unit > UINT32_MAX)
			return false;
		line += (uint64_t)(at[-1] - '0') * unit;
	}
	if (at == end || at - name < 2 || at[-1] != '(' || line > UINT32_MAX)
		return false;
	*place = (struct function_place){
		end + 3, (size_t)(at - 1 - name), (uint32_t)line};
	return true;
}

/* ---- names in columns ---- */

#define ELLIPSIS "\xe2\x80\xa6"

/* Source: Unicode's blocks: from Hebrew on letters may be wider than Latin
 * ones in a fixed-width font, or are not in it. U+0590 is D6 90. */
static unsigned columns_of(unsigned char first)
{
	return first < 0xd6 ? 1 : 2;
}

size_t function_name_fit(
	const char *text, size_t size, unsigned columns, bool *cut)
{
	size_t last = 0; /* longest prefix with room for an ellipsis */
	unsigned used = 0;

	*cut = false;
	for (size_t i = 0; i < size;) {
		size_t next = i + 1;

		while (next < size &&
			((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		used += columns_of((unsigned char)text[i]);
		if (used > columns) {
			*cut = true;
			return last;
		}
		if (used < columns)
			last = next;
		i = next;
	}
	return size;
}

/* Appends a short name: scopes are dropped first, then it is truncated. */
static void add_inner(
	struct buffer *out, const char *name, const char *end, unsigned columns)
{
	const char *front = "";
	const char *inner;
	size_t kept;
	bool cut;

	for (;;) {
		unsigned room = columns - (*front != '\0');

		/* Do not search thousands of scopes twice. */
		kept = 0;
		cut = (size_t)(end - name) > 2 * (size_t)room + 4;
		if (!cut)
			kept = function_name_fit(
				name, (size_t)(end - name), room, &cut);
		inner = cut ? function_name_inner(name, end) : NULL;
		if (inner == NULL)
			break;
		name = inner;
		front = ELLIPSIS;
	}
	if (cut) {
		kept = function_name_fit(
			name, (size_t)(end - name), columns, &cut);
		front = "";
	}
	buffer_add_text(out, front);
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}

void function_name_add_fit(
	struct buffer *out, const char *name, unsigned columns)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(name);
	bool cut;
	size_t kept = function_name_fit(name, size, columns, &cut);

	if (cut && columns > 0 && function_name_has_scopes(name, size)) {
		function_name_add_short(&brief, name, size);
		if (brief.failed)
			out->failed = true;
		else
			add_inner(out, (const char *)brief.bytes,
				(const char *)brief.bytes + brief.used,
				columns);
		buffer_clear(&brief);
		return;
	}
	buffer_add(out, name, kept);
	if (cut)
		buffer_add_text(out, ELLIPSIS);
}
