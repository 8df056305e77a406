#include "synthetic/write.h"

#include <system_error>

#include "base/error.h"
#include "base/text_format.h"
#include "synthetic/block_stream.h"
#include "synthetic/metadata.h"
#include "synthetic/tensors.h"
#include "synthetic/tokenizer.h"

namespace pleiad::synthetic {
namespace {

namespace fs = std::filesystem;

std::vector<SyntheticTensor> declare(gguf::Writer& writer, const Spec& spec,
                                     const Dimensions& dims) {
  set_model_keys(writer, spec, dims);
  set_tokenizer_keys(writer, dims.vocab_size);
  std::vector<SyntheticTensor> tensors = tensor_list(spec, dims);
  for (const SyntheticTensor& tensor : tensors) {
    writer.add_tensor(tensor.name, tensor.type, tensor.shape);
  }
  return tensors;
}

void write_data(gguf::Writer& writer, const Spec& spec, const std::vector<SyntheticTensor>& tensors,
                const WriteOptions& options) {
  std::uint64_t total = 0;
  for (const SyntheticTensor& tensor : tensors) total += byte_size(tensor);
  std::uint64_t done = 0;
  const auto tell = [&](std::uint64_t bytes) {
    done += bytes;
    if (options.progress) options.progress(done, total);
  };
  const auto is_left_empty = [&](const SyntheticTensor& tensor) {
    return options.empty_per_layer_table && tensor.name == kPerLayerTable;
  };
  BlockStream stream(tensors, spec.seed, options.n_threads, is_left_empty);
  for (const SyntheticTensor& tensor : tensors) {
    if (is_left_empty(tensor)) {
      writer.write_zeros(byte_size(tensor));
      tell(byte_size(tensor));
      continue;
    }
    for (std::uint64_t left = byte_size(tensor); left > 0;) {
      const std::span<const std::byte> bytes = stream.next();
      writer.write(bytes);
      tell(bytes.size());
      left -= bytes.size();
    }
  }
}

/// Refuses what would fill the disk. Space that cannot be asked for is no reason.
void check_space(const fs::path& path, std::uint64_t needed) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  if (error) return;
  const fs::file_type type = fs::status(target, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) return;
  const fs::space_info space = fs::space(target.parent_path(), error);
  if (error || space.available >= needed) return;
  throw Error("{}: cannot write: {} are needed, and {} are free in {}", path.string(),
              format_bytes(needed), format_bytes(space.available), target.parent_path().string());
}

}  // namespace

void write_model(gguf::Writer& writer, const Spec& spec, const Dimensions& dims,
                 const WriteOptions& options) {
  write_data(writer, spec, declare(writer, spec, dims), options);
}

std::uint64_t write_file(const fs::path& path, const Spec& spec, const WriteOptions& options) {
  gguf::Writer writer(path);
  const auto tensors = declare(writer, spec, dimensions_of(spec.model));
  const std::uint64_t size = writer.file_size();
  check_space(path, size);
  write_data(writer, spec, tensors, options);
  writer.finish();
  return size;
}

}  // namespace pleiad::synthetic
