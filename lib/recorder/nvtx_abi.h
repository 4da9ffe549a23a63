/* SPDX-License-Identifier: MIT */
/*
 * The part that we use of the interface between an NVTX injection library and
 * the programs that load it; 64-bit Linux only. Source: NVTX 3's headers
 * nvToolsExt.h and nvtxDetail/nvtxTypes.h, which
 * tests/lib/markers/nvtx_headers.c compares with this.
 */
#ifndef NVTX_ABI_H
#define NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_ABI_VERSION 3

/* Tables of functions, which the library fills for a program. */
enum nvtx_module { NVTX_CORE = 1, NVTX_CORE2 = 5 };

/* The functions of the tables, by their index: X(name, index). */
#define NVTX_CORE_FUNCTIONS(X) \
	X(mark_ex, 1) \
	X(mark_a, 2) \
	X(mark_w, 3) \
	X(start_ex, 4) \
	X(start_a, 5) \
	X(start_w, 6) \
	X(end, 7) \
	X(push_ex, 8) \
	X(push_a, 9) \
	X(push_w, 10) \
	X(pop, 11) \
	X(name_category_a, 12) \
	X(name_category_w, 13) \
	X(name_thread_a, 14) \
	X(name_thread_w, 15)
#define NVTX_CORE2_FUNCTIONS(X) \
	X(domain_mark_ex, 1) \
	X(domain_start_ex, 2) \
	X(domain_end, 3) \
	X(domain_push_ex, 4) \
	X(domain_pop, 5) \
	X(domain_name_category_a, 8) \
	X(domain_name_category_w, 9) \
	X(register_string_a, 10) \
	X(register_string_w, 11) \
	X(domain_create_a, 12) \
	X(domain_create_w, 13)

/* Generic: cast to the actual type. */
typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t size;
	/* 0 if there is no such module. Entries of the table point to where the
	 * functions are kept; index 0 is unused. */
	int (*table)(int module, nvtx_function ***out, unsigned *size);
};

#define NVTX_EXPORT_CALLBACKS 1

struct nvtx_version {
	size_t size;
	uint32_t version;
	uint32_t reserved;
	void (*tell)(uint32_t version); /* the tool's */
};

#define NVTX_EXPORT_VERSION 3

typedef const void *(*nvtx_export)(uint32_t table);

enum nvtx_color_type { NVTX_COLOR_NONE = 0, NVTX_COLOR_IS_ARGB = 1 };

enum nvtx_payload_type {
	NVTX_PAYLOAD_NONE = 0,
	NVTX_PAYLOAD_U64 = 1,
	NVTX_PAYLOAD_I64 = 2,
	NVTX_PAYLOAD_F64 = 3,
	NVTX_PAYLOAD_U32 = 4,
	NVTX_PAYLOAD_I32 = 5,
	NVTX_PAYLOAD_F32 = 6,
};

enum nvtx_message_type {
	NVTX_MESSAGE_NONE = 0,
	NVTX_MESSAGE_ASCII = 1,
	NVTX_MESSAGE_WIDE = 2,
	NVTX_MESSAGE_REGISTERED = 3,
};

/* Programs give the size of theirs: later fields may be missing. */
struct nvtx_attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	union {
		uint64_t u64;
		int64_t i64;
		double f64;
		uint32_t u32;
		int32_t i32;
		float f32;
	} payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *wide;
		const void *registered;
	} message;
};

#endif
