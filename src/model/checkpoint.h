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

#include "model/gemma4/audio/config.h"
#include "model/gemma4/config.h"
#include "model/gemma4/encoder_kind.h"
#include "model/gemma4/vision/config.h"
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
  std::vector<std::int32_t> suppressed_tokens;  // never to be chosen
};

/// Where the tokenizer of a checkpoint is found.
enum class TokenizerSource : std::uint8_t { none, gguf, tokenizer_json };

/// What a file holds beside the text model.
struct UnusedTensors {
  std::size_t vision = 0;   // see Checkpoint::vision()
  std::size_t audio = 0;    // see Checkpoint::audio()
  std::size_t dead_kv = 0;  // K/V projections of layers that share
  std::vector<std::string> unknown;

  std::size_t& of(gemma4::EncoderKind kind) {
    return kind == gemma4::EncoderKind::vision ? vision : audio;
  }
};

struct CheckpointOptions {
  /// The GGUF file with the towers (mmproj). Empty: those in the model's own files, else, beside
  /// a GGUF file, the one file with "mmproj" in its name that belongs to the model (of several,
  /// see projector_beside).
  std::filesystem::path projector;
};

/// An opened model: its files stay mapped while the object lives, and every
/// HostTensor is a view of them.
class Checkpoint {
 public:
  /// Opens a Hugging Face folder or a GGUF file and checks it whole: every
  /// tensor of the family's table is there, of the right shape, of a type that
  /// we can decode. Throws one LoadError with all that is wrong.
  /// What is wrong with a projector file that nobody named is said by vision_problem() and
  /// audio_problem() alone.
  static Checkpoint open(const std::filesystem::path& path, const CheckpointOptions& options = {});

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

  /// The vision tower; null where there is none.
  const gemma4::VisionConfig* vision() const;
  /// Why there is none: "has no vision tower ...", which follows the name of the model.
  const std::string& vision_problem() const;
  /// Why pictures cannot be shown to it: vision_problem(), or what keeps its tower from being used,
  /// which follows the name of the model as well; empty where they can.
  std::string picture_problem() const;
  /// The projector file that the tower comes from; empty where it is in the model's own files.
  const std::filesystem::path& projector() const;
  /// By our name ("vision.layers.3.attention.q_proj"); clip bounds may be absent.
  const HostTensor* find_vision(std::string_view name) const;
  /// Every tensor of the tower, by our name.
  void for_each_vision(const std::function<void(std::string_view, const HostTensor&)>& visit) const;
  std::uint64_t vision_tensor_bytes() const;
  /// The tokens of pictures in a prompt, as the config or the vocabulary names them.
  const gemma4::MediaTokens& media_tokens() const;

  /// The audio tower; null where there is none.
  const gemma4::AudioConfig* audio() const;
  /// Why there is none: "has no audio tower ...", which follows the name of the model.
  const std::string& audio_problem() const;
  /// Why it cannot be played sound: audio_problem(), or what keeps its tower from being used; empty
  /// where it can.
  std::string sound_problem() const;
  /// The projector file that the tower comes from; empty where it is in the model's own files.
  const std::filesystem::path& audio_projector() const;
  /// By our name ("audio.layers.3.attention.q_proj"); clip bounds may be absent.
  const HostTensor* find_audio(std::string_view name) const;
  void for_each_audio(const std::function<void(std::string_view, const HostTensor&)>& visit) const;
  std::uint64_t audio_tensor_bytes() const;
  /// The tokens of sound in a prompt, as the config or the vocabulary names them.
  const gemma4::SoundTokens& sound_tokens() const;

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

  /// The same of the files that the towers come from.
  void check_vision_unchanged() const;
  void check_audio_unchanged() const;

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
