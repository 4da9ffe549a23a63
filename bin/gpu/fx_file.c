/* SPDX-License-Identifier: MIT */
#include "gpu/fx_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Larger than any model's file; an input that is not JSON might be endless. */
#define BYTES_MAX ((uint64_t)256 << 20)

#define NO_TRACE "No model stack trace available"

struct json_stream {
	FILE *file;
	uint64_t bytes;
	int sys_errno; /* of the failed call */
};

/* The position in the document. */
struct location {
	struct fx_registry *registry;
	const char *file;  /* its name; NULL: outside of a file */
	const char *index; /* of a node; NULL: outside of a node */
	uint32_t number;
};

static size_t read_bytes(void *buffer, size_t size, void *user)
{
	struct json_stream *stream = user;
	size_t count = fread(buffer, 1, size, stream->file);

	if (ferror(stream->file))
		stream->sys_errno = errno;
	stream->bytes += count;
	return stream->sys_errno != 0 || stream->bytes > BYTES_MAX ? (size_t)-1
								   : count;
}

static const char *type_words(const json_t *value)
{
	static const char *const words[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a text",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return words[json_typeof(value)];
}

/* "x.py": node 12: "name" is a number, not a text. */
static enum ctp_status fail_type(const struct location *location,
	const char *member, const json_t *value, struct ctp_error *err)
{
	bool text = location->index != NULL && member != NULL;
	char node[64] = "";
	char inside[64] = "";

	if (location->file == NULL)
		return ctp_fail(err, CTP_ERR_FORMAT, "is %s, not an object",
			type_words(value));
	if (location->index != NULL)
		(void)snprintf(
			node, sizeof(node), ": node %s", location->index);
	if (member != NULL)
		(void)snprintf(inside, sizeof(inside), ": \"%s\"", member);
	return ctp_fail(err, CTP_ERR_FORMAT, "\"%.80s\"%s%s is %s, not %s",
		location->file, node, inside, type_words(value),
		text ? "a text" : "an object");
}

/* Reads a text member; null counts as missing. */
static enum ctp_status read_text(const struct location *location,
	const json_t *node, const char *member, struct fx_text *out,
	struct ctp_error *err)
{
	const json_t *value = json_object_get(node, member);

	if (value == NULL || json_is_null(value))
		return CTP_OK;
	if (!json_is_string(value))
		return fail_type(location, member, value, err);
	*out = (struct fx_text){
		json_string_value(value), json_string_length(value)};
	return CTP_OK;
}

static enum ctp_status read_node(const struct location *location,
	const json_t *value, struct ctp_error *err)
{
	struct fx_node node = {.known = true};
	enum ctp_status status;
	uint32_t number;

	if (!json_is_object(value) && !json_is_null(value))
		return fail_type(location, NULL, value, err);
	if (json_object_size(value) == 0)
		return CTP_OK;
	if (json_object_get(value, "stack_trace") == NULL)
		node.stack_trace = (struct fx_text){NO_TRACE, strlen(NO_TRACE)};
	status = read_text(
		location, value, "stack_trace", &node.stack_trace, err);
	if (status == CTP_OK)
		status = read_text(location, value, "name", &node.name, err);
	if (status != CTP_OK)
		return status;
	number = fx_registry_node(location->registry, location->number,
		(struct fx_text){location->index, strlen(location->index)});
	if (number == FX_NONE ||
		!fx_registry_set(location->registry, number, &node))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status read_nodes(
	struct location *location, json_t *file, struct ctp_error *err)
{
	static const char member[] = "node_metadata";
	enum ctp_status status = CTP_OK;
	json_t *nodes = json_object_get(file, member);
	json_t *value;

	if (!json_is_object(file) && !json_is_null(file))
		return fail_type(location, NULL, file, err);
	if (nodes != NULL && !json_is_object(nodes) && !json_is_null(nodes))
		return fail_type(location, member, nodes, err);
	json_object_foreach(nodes, location->index, value)
	{
		if (!fx_registry_is_index((struct fx_text){
			    location->index, strlen(location->index)}))
			status = ctp_fail(err, CTP_ERR_FORMAT,
				"\"%.80s\": \"%s\" has \"%.40s\", which is not "
				"the index of a node",
				location->file, member, location->index);
		else
			status = read_node(location, value, err);
		if (status != CTP_OK)
			break;
	}
	location->index = NULL;
	return status;
}

static enum ctp_status read_document(
	struct fx_registry *registry, json_t *root, struct ctp_error *err)
{
	struct location location = {.registry = registry};
	enum ctp_status status = CTP_OK;
	json_t *file;

	if (!json_is_object(root))
		return fail_type(&location, NULL, root, err);
	json_object_foreach(root, location.file, file)
	{
		location.number = fx_registry_file(registry,
			(struct fx_text){location.file, strlen(location.file)});
		status = location.number == FX_NONE
				 ? ctp_no_memory(err)
				 : read_nodes(&location, file, err);
		if (status != CTP_OK)
			break;
	}
	return status;
}

static enum ctp_status parse(FILE *in, json_t **out, struct ctp_error *err)
{
	struct json_stream stream = {.file = in};
	json_error_t error = {0};

	*out = json_load_callback(
		read_bytes, &stream, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	if (*out != NULL)
		return CTP_OK;
	errno = stream.sys_errno;
	if (errno != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot read");
	if (stream.bytes > BYTES_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT,
			"is larger than %llu MiB: not a registry of nodes",
			(unsigned long long)(BYTES_MAX >> 20));
	if (error.text[0] == '\0' || memory_was_refused())
		return ctp_no_memory(err);
	return ctp_fail_at(err, CTP_ERR_FORMAT, (uint64_t)error.position,
		"not JSON: %s", error.text);
}

static enum ctp_status read_file(
	FILE *in, struct fx_registry *registry, struct ctp_error *err)
{
	enum ctp_status status;
	json_t *root;

	/* Its memory counts for --max-mem. */
	json_set_alloc_funcs(memory_new, memory_free);
	status = parse(in, &root, err);
	if (status == CTP_OK)
		status = read_document(registry, root, err);
	json_decref(root);
	json_set_alloc_funcs(malloc, free);
	return status;
}

enum ctp_status fx_file_read(
	const char *path, struct fx_registry **out, struct ctp_error *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	struct fx_registry *registry;
	enum ctp_status status;

	if (in == NULL)
		return ctp_fail(err, CTP_ERR_IO, "cannot open");
	registry = fx_registry_new();
	status = registry == NULL ? ctp_no_memory(err)
				  : read_file(in, registry, err);
	if (in != stdin)
		(void)fclose(in);
	if (status == CTP_OK)
		*out = registry;
	else
		fx_registry_free(registry);
	return status;
}
