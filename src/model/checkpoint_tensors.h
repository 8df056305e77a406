#pragma once

#include <map>
#include <string>

#include "formats/problem_list.h"
#include "model/checkpoint.h"
#include "model/gemma4/config.h"
#include "tensor/host_tensor.h"

namespace pleiad::gguf {
class File;
}
namespace pleiad::safetensors {
class Folder;
}

namespace pleiad {

/// The tensors of a checkpoint under our names, and what was left over. What is
/// missing or of a wrong shape or type goes to the list of problems.
struct CheckpointTensors {
  std::map<std::string, HostTensor, std::less<>> by_name;
  UnusedTensors unused;
};

CheckpointTensors load_tensors(const gguf::File& file, const gemma4::Config& config,
                               ProblemList& problems);
CheckpointTensors load_tensors(const safetensors::Folder& folder, const gemma4::Config& config,
                               ProblemList& problems);

/// Counts a tensor that the model does not use.
void note_unused(const gemma4::Config& config, std::string_view name, UnusedTensors& unused);

/// The same shape, or one element either way ([1] and a scalar).
bool same_shape(const Shape& a, const Shape& b);

}  // namespace pleiad
