#include "synthetic/write.h"

#include "base/free_space.h"
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

}  // namespace

void write_tensors(gguf::Writer& writer, const std::vector<SyntheticTensor>& tensors,
                   std::uint64_t seed, const WriteOptions& options) {
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
  BlockStream stream(tensors, seed, options.n_threads, is_left_empty);
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

void write_model(gguf::Writer& writer, const Spec& spec, const Dimensions& dims,
                 const WriteOptions& options) {
  write_tensors(writer, declare(writer, spec, dims), spec.seed, options);
}

std::uint64_t write_file(const fs::path& path, const Spec& spec, const WriteOptions& options) {
  gguf::Writer writer(path);
  const auto tensors = declare(writer, spec, dimensions_of(spec));
  const std::uint64_t size = writer.file_size();
  check_free_space(path, size);
  write_tensors(writer, tensors, spec.seed, options);
  writer.finish();
  return size;
}

}  // namespace pleiad::synthetic
