/* SPDX-License-Identifier: MIT */
/*
 * NVTX: programs' annotations for NVIDIA's tools, as our ranges. Every module
 * that uses NVTX has its own table of functions. To fill it, the module calls
 * InitializeInjectionNvtx2() of the library in NVTX_INJECTION64_PATH. Several
 * modules of a process may do so, at any time and in any thread.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/environment.h"
#include "markers/inject.h"
#include "recorder/nvtx_abi.h"

#define DEFAULT_DOMAIN "nvtx"
#define UNNAMED "(unnamed)"
#define NO_ID ((struct inject_id){0})

#define HAS(attributes, field) \
	((attributes) != NULL && \
		(attributes)->size >= \
			offsetof(struct nvtx_attributes, field) + \
				sizeof((attributes)->field))

CTP_API int InitializeInjectionNvtx2(nvtx_export export);

/* The handle of a domain is its address; NULL is the default one. */
static struct inject_domain *domain_of(void *handle)
{
	static struct inject_domain *standard;
	struct inject_domain *domain = handle;

	if (domain != NULL)
		return domain;
	domain = __atomic_load_n(&standard, __ATOMIC_ACQUIRE);
	if (domain == NULL) {
		domain = inject_domain(DEFAULT_DOMAIN);
		__atomic_store_n(&standard, domain, __ATOMIC_RELEASE);
	}
	return domain;
}

static struct inject_message named(void *handle, const char *text)
{
	const struct inject_domain *domain = domain_of(handle);

	if (text == NULL)
		text = UNNAMED;
	return (struct inject_message){
		domain == NULL ? NULL : inject_literal(domain, text), text};
}

static struct inject_message named_wide(
	void *handle, const wchar_t *text, char out[static INJECT_WIDE])
{
	const struct inject_domain *domain = domain_of(handle);

	if (text == NULL)
		return named(handle, NULL);
	(void)inject_wide(out, text);
	return (struct inject_message){
		domain == NULL ? NULL : inject_name(domain, out), out};
}

/* The handle of a registered string is the address of its name. */
static struct inject_message message_of(void *handle,
	const struct nvtx_attributes *attributes, char out[static INJECT_WIDE])
{
	const struct inject_name *name;

	if (!HAS(attributes, message))
		return named(handle, NULL);
	switch (attributes->message_type) {
	case NVTX_MESSAGE_ASCII:
		return named(handle, attributes->message.ascii);
	case NVTX_MESSAGE_WIDE:
		return named_wide(handle, attributes->message.wide, out);
	case NVTX_MESSAGE_REGISTERED:
		name = attributes->message.registered;
		if (name != NULL && name->domain == domain_of(handle))
			return (struct inject_message){name, name->text};
		return named(handle, name == NULL ? NULL : name->text);
	default:
		return named(handle, NULL);
	}
}

static void add_category(
	struct inject_args *args, void *handle, uint32_t category)
{
	const struct inject_domain *domain = domain_of(handle);
	const char *label =
		domain == NULL ? NULL : inject_label_of(domain, category);

	if (label != NULL)
		inject_arg_text(args, "category", label);
	else
		inject_arg_int(args, "category", category);
}

static void add_color(struct inject_args *args, uint32_t color)
{
	static const char digits[] = "0123456789abcdef";
	char *text = args->texts[0];

	text[0] = '#';
	for (unsigned i = 0; i < 8; i++)
		text[1 + i] = digits[color >> (28 - 4 * i) & 0xf];
	text[9] = '\0';
	inject_arg_text(args, "color", text);
}

static void add_unsigned(struct inject_args *args, uint64_t value)
{
	if (value <= INT64_MAX) {
		inject_arg_int(args, "payload", (int64_t)value);
		return;
	}
	(void)snprintf(
		args->texts[1], sizeof(args->texts[1]), "%" PRIu64, value);
	inject_arg_text(args, "payload", args->texts[1]);
}

static void add_payload(
	struct inject_args *args, const struct nvtx_attributes *attributes)
{
	switch (attributes->payload_type) {
	case NVTX_PAYLOAD_U64:
		add_unsigned(args, attributes->payload.u64);
		break;
	case NVTX_PAYLOAD_I64:
		inject_arg_int(args, "payload", attributes->payload.i64);
		break;
	case NVTX_PAYLOAD_F64:
		inject_arg_float(args, "payload", attributes->payload.f64);
		break;
	case NVTX_PAYLOAD_U32:
		inject_arg_int(args, "payload", attributes->payload.u32);
		break;
	case NVTX_PAYLOAD_I32:
		inject_arg_int(args, "payload", attributes->payload.i32);
		break;
	case NVTX_PAYLOAD_F32:
		inject_arg_float(
			args, "payload", (double)attributes->payload.f32);
		break;
	default:
		break;
	}
}

/* The attributes besides the message. */
static void read_args(struct inject_args *args, void *handle,
	const struct nvtx_attributes *attributes)
{
	args->count = 0;
	if (HAS(attributes, category) && attributes->category != 0)
		add_category(args, handle, attributes->category);
	if (HAS(attributes, color) &&
		attributes->color_type == NVTX_COLOR_IS_ARGB)
		add_color(args, attributes->color);
	if (HAS(attributes, payload))
		add_payload(args, attributes);
}

static int push(struct inject_message message)
{
	return inject_push(message, NO_ID, NULL);
}

static int domain_push_ex(
	void *handle, const struct nvtx_attributes *attributes)
{
	struct inject_args args;
	char wide[INJECT_WIDE];

	read_args(&args, handle, attributes);
	return inject_push(message_of(handle, attributes, wide), NO_ID, &args);
}

static int push_ex(const struct nvtx_attributes *attributes)
{
	return domain_push_ex(NULL, attributes);
}

static int push_a(const char *text)
{
	return push(named(NULL, text));
}

static int push_w(const wchar_t *text)
{
	char wide[INJECT_WIDE];

	return push(named_wide(NULL, text, wide));
}

static int domain_pop(void *handle)
{
	const struct inject_domain *domain = domain_of(handle);

	return domain == NULL ? -1 : inject_pop(domain);
}

static int pop(void)
{
	return domain_pop(NULL);
}

/* The bits of a range's number above these are its name's. */
#define NAME_SHIFT 44

/* Starts a range that may end in another thread, identified only by its
 * number. */
static uint64_t start(struct inject_message message, struct inject_args *args)
{
	static _Atomic uint64_t last;
	uint64_t id;

	if (message.name == NULL)
		return 0;
	id = (uint64_t)message.name->number << NAME_SHIFT |
	     ((atomic_fetch_add(&last, 1) + 1) &
		     ((UINT64_C(1) << NAME_SHIFT) - 1));
	inject_event(CHUNK_ASYNC_BEGIN, message, id, args);
	return id;
}

static uint64_t domain_start_ex(
	void *handle, const struct nvtx_attributes *attributes)
{
	struct inject_args args;
	char wide[INJECT_WIDE];

	read_args(&args, handle, attributes);
	return start(message_of(handle, attributes, wide), &args);
}

static uint64_t start_ex(const struct nvtx_attributes *attributes)
{
	return domain_start_ex(NULL, attributes);
}

static uint64_t start_a(const char *text)
{
	return start(named(NULL, text), NULL);
}

static uint64_t start_w(const wchar_t *text)
{
	char wide[INJECT_WIDE];

	return start(named_wide(NULL, text, wide), NULL);
}

static void end(uint64_t id)
{
	const struct inject_name *name = inject_numbered(id >> NAME_SHIFT);

	if (name != NULL)
		ctp_async_end(name->site, id);
	else
		ctp_repaired(0, 1);
}

static void domain_end(void *handle, uint64_t id)
{
	(void)handle;
	end(id);
}

static void mark(struct inject_message message)
{
	inject_event(CHUNK_INSTANT, message, 0, NULL);
}

static void domain_mark_ex(
	void *handle, const struct nvtx_attributes *attributes)
{
	struct inject_args args;
	char wide[INJECT_WIDE];

	read_args(&args, handle, attributes);
	inject_event(
		CHUNK_INSTANT, message_of(handle, attributes, wide), 0, &args);
}

static void mark_ex(const struct nvtx_attributes *attributes)
{
	domain_mark_ex(NULL, attributes);
}

static void mark_a(const char *text)
{
	mark(named(NULL, text));
}

static void mark_w(const wchar_t *text)
{
	char wide[INJECT_WIDE];

	mark(named_wide(NULL, text, wide));
}

static void domain_name_category_a(
	void *handle, uint32_t category, const char *text)
{
	struct inject_domain *domain = domain_of(handle);

	if (domain != NULL && text != NULL)
		inject_label(domain, category, text);
}

static void domain_name_category_w(
	void *handle, uint32_t category, const wchar_t *text)
{
	char wide[INJECT_WIDE];

	if (text != NULL)
		domain_name_category_a(
			handle, category, inject_wide(wide, text));
}

static void name_category_a(uint32_t category, const char *text)
{
	domain_name_category_a(NULL, category, text);
}

static void name_category_w(uint32_t category, const wchar_t *text)
{
	domain_name_category_w(NULL, category, text);
}

/* Any thread can be named, but the log accepts only the name of the calling
 * one. */
static void name_thread_a(uint32_t thread, const char *text)
{
	if (text != NULL && thread == (uint32_t)syscall(SYS_gettid))
		ctp_thread_name(text);
}

static void name_thread_w(uint32_t thread, const wchar_t *text)
{
	char wide[INJECT_WIDE];

	if (text != NULL)
		name_thread_a(thread, inject_wide(wide, text));
}

static const void *register_string_a(void *handle, const char *text)
{
	const struct inject_domain *domain = domain_of(handle);

	return domain == NULL || text == NULL ? NULL
					      : inject_name(domain, text);
}

static const void *register_string_w(void *handle, const wchar_t *text)
{
	char wide[INJECT_WIDE];

	return text == NULL
		       ? NULL
		       : register_string_a(handle, inject_wide(wide, text));
}

/* Domains are never destroyed: the same name is likely to be used again. */
static void *domain_create_a(const char *text)
{
	return text == NULL ? NULL : inject_domain(text);
}

static void *domain_create_w(const wchar_t *text)
{
	char wide[INJECT_WIDE];

	return text == NULL ? NULL : domain_create_a(inject_wide(wide, text));
}

#define ENTRY(name, index) [index] = (nvtx_function)(name),

static const nvtx_function core[] = {NVTX_CORE_FUNCTIONS(ENTRY)};
static const nvtx_function core2[] = {NVTX_CORE2_FUNCTIONS(ENTRY)};

/* False if the module is missing. */
static bool fill(const struct nvtx_callbacks *callbacks,
	enum nvtx_module module, const nvtx_function *ours, unsigned count)
{
	nvtx_function **table = NULL;
	unsigned size = 0;

	if (callbacks->table((int)module, &table, &size) == 0 || table == NULL)
		return false;
	for (unsigned i = 1; i < count && i < size; i++)
		if (ours[i] != NULL && table[i] != NULL)
			*table[i] = ours[i];
	return true;
}

int InitializeInjectionNvtx2(nvtx_export export)
{
	const struct nvtx_callbacks *callbacks =
		export == NULL ? NULL : export(NVTX_EXPORT_CALLBACKS);

	if (environment_is_refused() || callbacks == NULL ||
		callbacks->size < sizeof(*callbacks) ||
		callbacks->table == NULL ||
		!fill(callbacks, NVTX_CORE, core,
			sizeof(core) / sizeof(core[0])))
		return 0;
	/* Before version 3 there were no domains. */
	(void)fill(
		callbacks, NVTX_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	return 1;
}
