#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tensor/host_tensor.h"

namespace pleiad {

/// A tensor of the model as the backend keeps it, in a layout that is nobody
/// else's business. Made by Backend::upload, used with that backend only, and
/// only as long as the file behind it stays mapped.
class Weight {
 public:
  class Storage {
   public:
    virtual ~Storage() = default;
  };

  Weight() = default;
  Weight(Shape shape, std::unique_ptr<Storage> storage, bool reads_file)
      : shape_(std::move(shape)), storage_(std::move(storage)), reads_file_(reads_file) {}

  explicit operator bool() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  const Storage& storage() const { return *storage_; }
  /// True when steps read the tensor's bytes in the file; otherwise only gathered
  /// rows of it, or nothing.
  bool reads_file() const { return reads_file_; }

 private:
  Shape shape_;
  std::unique_ptr<Storage> storage_;
  bool reads_file_ = false;
};

/// What a weight is for, which decides where a backend puts it.
enum class WeightUse : std::uint8_t {
  matrix,        // multiplied with activations: [out, in] or [experts, out, in]
  table,         // rows are gathered by token; stays in the file
  matrix_table,  // both: a tied embedding
  vector,        // norm weights and other small factors; kept as f32
};

}  // namespace pleiad
