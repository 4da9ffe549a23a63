/* SPDX-License-Identifier: MIT */
/*
 * What is known of the nodes of graphs that torch.fx has made code of, by the
 * file of that code and the node's index in it.
 * Source: torch/fx/traceback.py, _FX_METADATA_REGISTRY.
 */
#ifndef FX_REGISTRY_H
#define FX_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FX_NONE UINT32_MAX

struct fx_registry;

struct fx_text {
	const char *bytes;
	size_t size;
};

/* What is added to operations of a node; no text where it has none. */
struct fx_node {
	bool known;
	struct fx_text stack_trace;
	struct fx_text name;
};

/* An empty registry; free with fx_registry_free(). NULL if out of memory. */
struct fx_registry *fx_registry_new(void);
void fx_registry_free(struct fx_registry *registry);

/* The number of a file; FX_NONE if out of memory. */
uint32_t fx_registry_file(struct fx_registry *registry, struct fx_text name);

/* Is it an integer, as Python writes and reads them? */
bool fx_registry_is_index(struct fx_text text);

/* The number of the node of a file that has this index, which is an integer of
 * any size; FX_NONE if out of memory. Nothing is known of a new one. */
uint32_t fx_registry_node(
	struct fx_registry *registry, uint32_t file, struct fx_text index);

/* What is known of a node; texts are copied. False if out of memory. */
bool fx_registry_set(struct fx_registry *registry, uint32_t number,
	const struct fx_node *node);

/* Its texts are borrowed from the registry, the rest until the next node. */
const struct fx_node *fx_registry_get(
	const struct fx_registry *registry, uint32_t number);

#endif
