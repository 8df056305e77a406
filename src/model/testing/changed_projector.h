#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"
#include "formats/gguf/writer.h"

namespace pleiad::testing_support {

/// A tensor to be written into a GGUF file.
struct GgufTensor {
  std::string name;
  std::uint32_t ggml_type = 0;
  Shape shape;
  std::vector<std::byte> data;
};

inline GgufTensor f32_tensor(const std::string& name, const Shape& shape,
                             const std::vector<float>& values) {
  GgufTensor tensor{name, 0, shape, std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

/// What a test changes of files before they are written as one.
struct GgufChange {
  /// False leaves a key out.
  std::function<bool(std::string_view)> keeps_key = [](std::string_view) { return true; };
  /// Keys that are written instead or beside.
  std::function<void(gguf::Writer&)> set_keys = [](gguf::Writer&) {};
  /// Changes the tensors, takes some out, adds others.
  std::function<void(std::vector<GgufTensor>&)> tensors = [](std::vector<GgufTensor>&) {};
};

/// Writes the tensors of all sources and the keys of the first one.
inline void write_changed_gguf(const std::vector<std::filesystem::path>& sources,
                               const std::filesystem::path& target, const GgufChange& change) {
  std::vector<GgufTensor> tensors;
  gguf::Writer writer(target);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto file = gguf::File::open(sources[i]);
    for (const auto& [key, value] : file.metadata().values()) {
      if (i == 0 && change.keeps_key(key)) writer.set_value(key, value);
    }
    for (const gguf::TensorInfo& info : file.tensors()) {
      tensors.push_back({std::string(info.name),
                         info.ggml_type,
                         info.shape,
                         {info.data.begin(), info.data.end()}});
    }
  }
  change.set_keys(writer);
  change.tensors(tensors);
  for (const GgufTensor& tensor : tensors) {
    writer.add_tensor(tensor.name, tensor.ggml_type, tensor.shape);
  }
  for (const GgufTensor& tensor : tensors) writer.write(tensor.data);
  writer.finish();
}

}  // namespace pleiad::testing_support
