#include "synthetic/in_memory_model.h"

#include <cerrno>

#include "base/available_memory.h"
#include "base/error.h"
#include "base/os/file.h"
#include "base/text_format.h"
#include "synthetic/block_stream.h"
#include "synthetic/tensors.h"

namespace pleiad::synthetic {
namespace {

/// A file in memory is written until the system is out of it, and then somebody
/// is killed: better to ask before.
void check_memory(const Spec& spec, const Dimensions& dims) {
  std::uint64_t needed = 0;
  for (const SyntheticTensor& tensor : tensor_list(spec, dims)) {
    if (tensor.name != kPerLayerTable) needed += byte_size(tensor);
  }
  const std::uint64_t available = available_memory();
  if (available < needed) {
    throw Error("synthetic model {}: {} of memory are needed, and {} are available",
                to_string(spec), format_bytes(needed), format_bytes(available));
  }
}

}  // namespace

InMemoryModel::InMemoryModel(const Spec& spec, const WriteOptions& options)
    : InMemoryModel(spec, dimensions_of(spec), options) {}

InMemoryModel::InMemoryModel(const Spec& spec, const Dimensions& dims,
                             const WriteOptions& options) {
  check_memory(spec, dims);
  const std::string name = "synthetic model " + to_string(spec);
  file_ = os::make_in_memory(name);
  if (file_ < 0) throw Error("{}: cannot make a file in memory: {}", name, errno_text(errno));
  try {
    WriteOptions with_hole = options;
    with_hole.empty_per_layer_table = true;
    const int writers = os::duplicate(file_);
    if (writers < 0) throw Error("{}: cannot write: {}", name, errno_text(errno));
    gguf::Writer writer(writers, name);
    write_model(writer, spec, dims, with_hole);
    writer.finish();
  } catch (...) {
    os::close(file_);
    throw;
  }
}

InMemoryModel::~InMemoryModel() { os::close(file_); }

std::string InMemoryModel::path() const { return os::path_of(file_); }

}  // namespace pleiad::synthetic
