/* SPDX-License-Identifier: MIT */
/*
 * Splits names of PyTorch's operators as torch.autograd.profiler.emit_nvtx()
 * writes them, "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]", into
 * the operator and arguments. Otherwise each call would be a function.
 * Source: getNvtxStr() in torch/csrc/profiler/util.cpp.
 */
#ifndef OP_NAMES_H
#define OP_NAMES_H

#include "trace/event.h"

/*
 * Wraps the source, which is borrowed if this fails.
 *
 * Errors: CTP_ERR_NOMEM, also while reading.
 */
enum ctp_status op_names_open(struct event_source *inner,
	struct event_source **out, struct ctp_error *err);

#endif
