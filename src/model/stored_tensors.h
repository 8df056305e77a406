#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/host_tensor.h"

namespace pleiad {

/// What a tensor of a file is there for.
enum class TensorRole : std::uint8_t {
  text,       // the text model reads its values
  scale,      // a factor of another tensor's values
  auxiliary,  // part of the configuration, of activations, or a copy
  dead_kv,    // keys and values of layers that share those of others
  vision,
  audio,
  unknown,
};

/// "text", "dead keys and values"
std::string_view name(TensorRole role);

/// A tensor as it lies in a file, whether the model uses it or not.
struct StoredTensor {
  std::string name;            // ours, "layers.3.attention.q_proj"; a scale has its tensor's
  std::string file_name;       // as in the file
  std::string type;            // as the file calls it: "BF16", "U8", "q4_K"
  std::optional<DType> dtype;  // empty: cannot be decoded
  Shape shape;                 // of values: of packed ones, not of their bytes
  std::span<const std::byte> data;
  TensorRole role = TensorRole::unknown;
};

class Checkpoint;

/// The projector files that a model's towers come from: none, one, or one for each tower.
std::vector<std::filesystem::path> projector_files(const Checkpoint& checkpoint);

/// Every tensor of a model's files, in the order of the files. Unlike a Checkpoint it
/// opens also where tensors are missing or of wrong shapes.
class StoredTensors {
 public:
  /// `path` as of Checkpoint::open; the tensors of `projectors` (projector_files) follow those of
  /// the model. Throws LoadError where a container or the configuration cannot be read.
  static StoredTensors open(const std::filesystem::path& path,
                            const std::vector<std::filesystem::path>& projectors = {});

  ~StoredTensors();
  StoredTensors(StoredTensors&&) noexcept;
  StoredTensors& operator=(StoredTensors&&) noexcept;

  const std::filesystem::path& path() const;
  bool is_gguf() const;
  const std::vector<StoredTensor>& tensors() const;
  std::uint64_t total_bytes() const;

  /// Throws FileChangedError, see Checkpoint.
  void check_unchanged() const;

  /// Gives resident pages of the files back to the system.
  void drop_pages(std::span<const std::byte> bytes) const;

 private:
  struct State;
  explicit StoredTensors(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pleiad
