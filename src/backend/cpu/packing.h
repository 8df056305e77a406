#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backend/cpu/huge_memory.h"
#include "backend/cpu/kernels/packed.h"
#include "backend/cpu/thread_pool.h"
#include "tensor/host_tensor.h"

namespace pleiad::cpu {

/// One or more matrices of a tensor [rows, cols] or [n_matrices, rows, cols],
/// packed in panels as kernels/packed.h describes. No panel spans two matrices.
struct PackedMatrices {
  kernels::PackedKind kind = kernels::PackedKind::f32;
  HugeArena::Piece memory;
  std::int64_t rows = 0;  // of one matrix
  std::int64_t n_steps = 0;
  std::int64_t panel_bytes = 0;
  std::int64_t panels = 0;  // of one matrix

  std::int64_t padded_cols() const { return n_steps * kernels::layout_of(kind).step_cols; }
  const std::byte* matrix(std::int64_t index) const {
    return memory.data + index * panels * panel_bytes;
  }
};

/// How a tensor would be packed: none for types that are computed with as they
/// lie in the file (Q4_1, Q5_1, and FP8 types where a code for NaN occurs).
std::optional<kernels::PackedKind> packed_kind(const HostTensor& tensor);

/// Packs with all threads. The values stay what they are, bit for bit.
PackedMatrices pack(const HostTensor& tensor, kernels::PackedKind kind, HugeArena& arena,
                    ThreadPool& pool);

}  // namespace pleiad::cpu
