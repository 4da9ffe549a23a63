/* SPDX-License-Identifier: MIT */
#include "trace_detail.h"

#include <string.h>

#include "function_name.h"
#include "strtab.h"

/* Lines and columns have no more digits. */
#define PLACE_DIGITS 9

enum form {
	FORM_FILE,   /* the detail is a file's name */
	FORM_PLACE,  /* file:line:column */
	FORM_NAME,   /* behind the range's own name */
	FORM_SYMBOL, /* likewise, as the linker knows it */
};

static const struct kind {
	const char *name;
	enum form form;
	enum trace_detail detail;
} kinds[] = {
	{"Source", FORM_FILE, TRACE_DETAIL_HEADER},
	{"OptModule", FORM_FILE, TRACE_DETAIL_OTHER},
	{"ParseDeclarationOrFunctionDefinition", FORM_PLACE,
		TRACE_DETAIL_OTHER},
	{"EvaluateAsConstantExpr", FORM_PLACE, TRACE_DETAIL_OTHER},
	{"ParseFunctionDefinition", FORM_NAME, TRACE_DETAIL_OTHER},
	{"ParseClass", FORM_NAME, TRACE_DETAIL_OTHER},
	{"ParseTemplate", FORM_NAME, TRACE_DETAIL_OTHER},
	{"DebugType", FORM_NAME, TRACE_DETAIL_OTHER},
	{"RunPass", FORM_NAME, TRACE_DETAIL_OTHER},
	{"RunLoopPass", FORM_NAME, TRACE_DETAIL_OTHER},
	{"InstantiateClass", FORM_NAME, TRACE_DETAIL_CLASS},
	{"InstantiateFunction", FORM_NAME, TRACE_DETAIL_FUNCTION},
	{"OptFunction", FORM_SYMBOL, TRACE_DETAIL_OPTIMIZED},
	{"CodeGen Function", FORM_SYMBOL, TRACE_DETAIL_GENERATED},
};

void trace_details_init(struct trace_details *details, struct trace *trace,
	struct trace_args *args)
{
	*details = (struct trace_details){.trace = trace, .args = args};
}

void trace_details_clear(struct trace_details *details)
{
	demangler_clear(&details->demangler);
	buffer_clear(&details->name);
	buffer_clear(&details->detail);
}

static const struct kind *find(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == size &&
			memcmp(kinds[i].name, name, size) == 0)
			return &kinds[i];
	return NULL;
}

bool trace_detail_is_header(
	const struct json_scan *scan, const struct json_token *token)
{
	return token->kind == JSON_STRING && token->size == 6 &&
	       memcmp(json_scan_text(scan, token), "Source", 6) == 0;
}

/* The number that ":123" at the end of a text is, which is cut off; false if
 * there is none. */
static bool take_number(const char *text, size_t *size, uint32_t *number)
{
	size_t at = *size;

	while (at > 0 && (unsigned char)(text[at - 1] - '0') < 10)
		at--;
	if (at == *size || *size - at > PLACE_DIGITS || at < 2 ||
		text[at - 1] != ':')
		return false;
	*number = 0;
	for (size_t i = at; i < *size; i++)
		*number = *number * 10 + (uint32_t)(text[i] - '0');
	*size = at - 1;
	return true;
}

/* Appends the detail to the range's name. */
static void add_detail(struct trace_details *details, const struct kind *kind)
{
	enum trace_names names = details->trace->names;
	const char *text = (const char *)details->detail.bytes;
	const char *plain = NULL;

	buffer_add_byte(&details->detail, '\0');
	if (details->detail.failed)
		return;
	if (kind->form == FORM_SYMBOL && names != TRACE_NAMES_MANGLED)
		plain = demangle(&details->demangler, text);
	if (plain != NULL)
		text = plain;
	buffer_add_byte(&details->name, ' ');
	if (kind->detail != TRACE_DETAIL_OTHER &&
		(names == TRACE_NAMES_SHORT || names == TRACE_NAMES_QUALIFIED))
		function_name_add_short(&details->name, text, strlen(text));
	else
		buffer_add_text(&details->name, text);
}

static bool add_place(
	struct trace_details *details, const struct kind *kind, uint32_t *site)
{
	struct trace *trace = details->trace;
	struct trace_site place = {0};
	const char *text = (const char *)details->detail.bytes;
	size_t size = details->detail.used;
	uint32_t column;

	if (kind->form == FORM_PLACE &&
		!(take_number(text, &size, &column) &&
			take_number(text, &size, &place.line))) {
		place.line = 0;
		size = 0;
	}
	if (kind->form == FORM_NAME || kind->form == FORM_SYMBOL || size == 0) {
		add_detail(details, kind);
		size = 0;
	}
	if (details->name.failed || details->detail.failed)
		return false;
	place.name = strtab_add(
		trace->text, (char *)details->name.bytes, details->name.used);
	place.file = size == 0 ? 0 : strtab_add(trace->text, text, size);
	if (place.name == STRTAB_NONE || place.file == STRTAB_NONE)
		return false;
	*site = trace_add_place(trace, place);
	return *site != TRACE_NONE;
}

bool trace_detail_site(struct trace_details *details,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t *site)
{
	const struct kind *kind;
	const char *text;
	size_t size;

	if ((details->args->seen & TRACE_WANT(TRACE_DETAIL)) == 0 ||
		name->kind != JSON_STRING || name->has_escapes)
		return true;
	text = json_scan_text(scan, name);
	kind = find(text, name->size);
	if (kind == NULL)
		return true;
	details->name.used = 0;
	details->detail.used = 0;
	buffer_add(&details->name, text, name->size);
	if (!trace_args_plain(
		    details->args, scan, &details->args->detail, &text, &size))
		return false;
	if (size == 0)
		return true;
	buffer_add(&details->detail, text, size);
	return !details->detail.failed && add_place(details, kind, site);
}

enum trace_detail trace_detail_of(const char *name, size_t *size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		*size = strlen(kinds[i].name);
		if (strncmp(kinds[i].name, name, *size) == 0 &&
			(name[*size] == ' ' || name[*size] == '\0'))
			return kinds[i].detail;
	}
	*size = strlen(name);
	return TRACE_DETAIL_OTHER;
}
