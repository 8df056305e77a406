#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace pleiad {

/// Decodes `n_elements` consecutive values (a multiple of the type's block size)
/// into floats, without side scales: the scalar truth that every faster decoder
/// is compared with. `src` needs no alignment.
void decode_blocks(DType type, const std::byte* src, std::size_t n_elements, float* out);

/// Decodes one row (all dimensions but the last counted together) of `tensor`
/// into cols() floats, with every side scale applied.
void decode_row(const HostTensor& tensor, std::int64_t row, float* out);

/// All values of a tensor, row after row.
std::vector<float> decode_tensor(const HostTensor& tensor);

}  // namespace pleiad
