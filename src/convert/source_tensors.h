#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/mix.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Where the values of a tensor of the new file come from: one tensor of the source,
/// or a run of rows of one, several in order.
struct SourceRows {
  std::vector<HostTensor> parts;
  std::string importance;  // the tensor that importances are known by
};

/// How experts lie in the source.
gemma4::ExpertsLayout experts_layout_of(const Checkpoint& source);

/// How they lie in a new GGUF file: nvfp4 has gate and up apart, because readers
/// look for their scales there.
gemma4::ExpertsLayout experts_layout_for(const Mix& mix, const Checkpoint& source);

/// The rows of `tensor`, a name of the table of either layout.
SourceRows rows_of(const Checkpoint& source, std::string_view tensor);

/// Every value of `tensor`, all of which are finite, can be stored as `type` without rounding.
bool is_exact_as(const HostTensor& tensor, DType type);

/// The stored type of each tensor of `table` in the source.
std::vector<DType> source_types(const Checkpoint& source,
                                std::span<const gemma4::TensorSpec> table);

}  // namespace pleiad::convert
