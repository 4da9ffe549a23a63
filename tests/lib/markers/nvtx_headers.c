/* SPDX-License-Identifier: MIT */
/* Checks lib/recorder/nvtx_abi.h against NVIDIA's headers. Compiled by nvtx.sh
 * only. */
#include <nvtx3/nvToolsExt.h>

#include "recorder/nvtx_abi.h"

#define SAME_FIELD(ours, theirs) \
	_Static_assert(offsetof(struct nvtx_attributes, ours) == \
			       offsetof(nvtxEventAttributes_t, theirs), \
		#ours)
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t),
	"size");
SAME_FIELD(version, version);
SAME_FIELD(size, size);
SAME_FIELD(category, category);
SAME_FIELD(color_type, colorType);
SAME_FIELD(color, color);
SAME_FIELD(payload_type, payloadType);
SAME_FIELD(payload, payload);
SAME_FIELD(message_type, messageType);
SAME_FIELD(message, message);
SAME(NVTX_ABI_VERSION, NVTX_VERSION);
SAME(NVTX_COLOR_IS_ARGB, NVTX_COLOR_ARGB);
SAME(NVTX_PAYLOAD_U64, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
SAME(NVTX_PAYLOAD_I64, NVTX_PAYLOAD_TYPE_INT64);
SAME(NVTX_PAYLOAD_F64, NVTX_PAYLOAD_TYPE_DOUBLE);
SAME(NVTX_PAYLOAD_U32, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
SAME(NVTX_PAYLOAD_I32, NVTX_PAYLOAD_TYPE_INT32);
SAME(NVTX_PAYLOAD_F32, NVTX_PAYLOAD_TYPE_FLOAT);
SAME(NVTX_MESSAGE_ASCII, NVTX_MESSAGE_TYPE_ASCII);
SAME(NVTX_MESSAGE_WIDE, NVTX_MESSAGE_TYPE_UNICODE);
SAME(NVTX_MESSAGE_REGISTERED, NVTX_MESSAGE_TYPE_REGISTERED);
SAME(NVTX_CORE, NVTX_CB_MODULE_CORE);
SAME(NVTX_CORE2, NVTX_CB_MODULE_CORE2);
SAME(NVTX_EXPORT_CALLBACKS, NVTX_ETID_CALLBACKS);
SAME(NVTX_EXPORT_VERSION, NVTX_ETID_VERSIONINFO);
_Static_assert(
	sizeof(struct nvtx_version) == sizeof(NvtxExportTableVersionInfo),
	"version");
_Static_assert(
	sizeof(struct nvtx_callbacks) == sizeof(NvtxExportTableCallbacks),
	"callbacks");

/* The indices, which the tables take from the lists. */
#define INDEX(name, number) OURS_##name = (number),
enum ours { NVTX_CORE_FUNCTIONS(INDEX) NVTX_CORE2_FUNCTIONS(INDEX) };

SAME(OURS_mark_ex, NVTX_CBID_CORE_MarkEx);
SAME(OURS_mark_a, NVTX_CBID_CORE_MarkA);
SAME(OURS_mark_w, NVTX_CBID_CORE_MarkW);
SAME(OURS_start_ex, NVTX_CBID_CORE_RangeStartEx);
SAME(OURS_start_a, NVTX_CBID_CORE_RangeStartA);
SAME(OURS_start_w, NVTX_CBID_CORE_RangeStartW);
SAME(OURS_end, NVTX_CBID_CORE_RangeEnd);
SAME(OURS_push_ex, NVTX_CBID_CORE_RangePushEx);
SAME(OURS_push_a, NVTX_CBID_CORE_RangePushA);
SAME(OURS_push_w, NVTX_CBID_CORE_RangePushW);
SAME(OURS_pop, NVTX_CBID_CORE_RangePop);
SAME(OURS_name_category_a, NVTX_CBID_CORE_NameCategoryA);
SAME(OURS_name_category_w, NVTX_CBID_CORE_NameCategoryW);
SAME(OURS_name_thread_a, NVTX_CBID_CORE_NameOsThreadA);
SAME(OURS_name_thread_w, NVTX_CBID_CORE_NameOsThreadW);
SAME(OURS_domain_mark_ex, NVTX_CBID_CORE2_DomainMarkEx);
SAME(OURS_domain_start_ex, NVTX_CBID_CORE2_DomainRangeStartEx);
SAME(OURS_domain_end, NVTX_CBID_CORE2_DomainRangeEnd);
SAME(OURS_domain_push_ex, NVTX_CBID_CORE2_DomainRangePushEx);
SAME(OURS_domain_pop, NVTX_CBID_CORE2_DomainRangePop);
SAME(OURS_domain_name_category_a, NVTX_CBID_CORE2_DomainNameCategoryA);
SAME(OURS_domain_name_category_w, NVTX_CBID_CORE2_DomainNameCategoryW);
SAME(OURS_register_string_a, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME(OURS_register_string_w, NVTX_CBID_CORE2_DomainRegisterStringW);
SAME(OURS_domain_create_a, NVTX_CBID_CORE2_DomainCreateA);
SAME(OURS_domain_create_w, NVTX_CBID_CORE2_DomainCreateW);
