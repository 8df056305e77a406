#include "support/changed_gguf.h"

#include <cstring>

#include "formats/gguf/writer.h"
#include "tensor/decode.h"

namespace pleiad::testing_support {

StoredTensor stored(const gguf::TensorInfo& tensor) {
  return {std::string(tensor.name),
          tensor.dtype.value(),
          tensor.shape,
          {tensor.data.begin(), tensor.data.end()}};
}

StoredTensor rounded(const gguf::TensorInfo& tensor, const RoundRow& round) {
  StoredTensor result = {std::string(tensor.name), DType::f32, tensor.shape, {}};
  const auto cols = static_cast<std::size_t>(tensor.shape.back());
  const std::size_t row = row_bytes(tensor.dtype.value(), cols);
  std::vector<float> values(cols);
  for (std::size_t at = 0; at < tensor.data.size(); at += row) {
    decode_blocks(*tensor.dtype, tensor.data.data() + at, cols, values.data());
    const std::vector<float> after = round(values);
    const auto bytes = std::as_bytes(std::span(after));
    result.data.insert(result.data.end(), bytes.begin(), bytes.end());
  }
  return result;
}

void write_changed_gguf(
    const std::filesystem::path& source, const std::filesystem::path& target,
    const std::function<std::vector<StoredTensor>(const gguf::TensorInfo&)>& change) {
  const gguf::File file = gguf::File::open(source);
  gguf::Writer writer(target);
  for (const auto& [key, value] : file.metadata().values()) writer.set_value(key, value);
  std::vector<StoredTensor> tensors;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    for (StoredTensor& made : change(tensor)) tensors.push_back(std::move(made));
  }
  for (const StoredTensor& tensor : tensors) {
    writer.add_tensor(tensor.name, tensor.type, tensor.shape);
  }
  for (const StoredTensor& tensor : tensors) writer.write(tensor.data);
  writer.finish();
}

}  // namespace pleiad::testing_support
