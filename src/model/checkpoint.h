#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemma4/config.h"
#include "tensor/host_tensor.h"

namespace pleiad::gguf {
class File;
}
namespace pleiad::safetensors {
class Folder;
}

namespace pleiad {

/// Sampling defaults that come with a checkpoint; what it does not say is empty.
struct GenerationDefaults {
  std::optional<double> temperature;
  std::optional<int> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  std::optional<double> repeat_penalty;
  std::vector<std::int32_t> stop_tokens;
};

/// Where the tokenizer of a checkpoint is found.
enum class TokenizerSource : std::uint8_t { none, gguf, tokenizer_json };

/// What a file holds beside the text model, told to the user and not loaded.
struct UnusedTensors {
  std::size_t vision = 0;
  std::size_t audio = 0;
  std::size_t dead_kv = 0;  // K/V projections of layers that share
  std::vector<std::string> unknown;
};

/// An opened model: its files stay mapped while the object lives, and every
/// HostTensor is a view of them.
class Checkpoint {
 public:
  /// Opens a Hugging Face folder or a GGUF file and checks it whole: every
  /// tensor of the family's table is there, of the right shape, of a type that
  /// we can decode. Throws one LoadError with all that is wrong.
  static Checkpoint open(const std::filesystem::path& path);

  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  const std::filesystem::path& path() const;
  const gemma4::Config& config() const;
  const GenerationDefaults& generation() const;
  const UnusedTensors& unused() const;

  /// By our name ("layers.3.attention.q_proj"); optional tensors may be absent.
  const HostTensor* find(std::string_view name) const;
  const HostTensor& get(std::string_view name) const;  // CHECKs that it is there

  /// Every tensor that the text model uses, by our name.
  void for_each(const std::function<void(std::string_view, const HostTensor&)>& visit) const;

  /// Bytes of all tensors that the text model uses.
  std::uint64_t tensor_bytes() const;

  /// "q4_0" and so on: the type of most weights.
  DType main_dtype() const;

  TokenizerSource tokenizer_source() const;
  /// The GGUF file that the model was opened from, or null.
  const gguf::File* gguf() const;
  /// The safetensors that it was opened from, or null.
  const safetensors::Folder* folder() const;
  /// The path of tokenizer.json where that is the source, else empty.
  const std::filesystem::path& tokenizer_json() const;

  /// Throws FileChangedError where one of its files was written to since they were opened (see
  /// MappedFile). What was made of the tensors counts only after that.
  void check_unchanged() const;

  /// Gives the resident file pages of a tensor back to the system.
  void drop_pages(const HostTensor& tensor) const;
  /// Expect reads at random places (tables whose rows are gathered).
  void advise_random(const HostTensor& tensor) const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Checkpoint(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pleiad
