#include "model/gemma4/encoder_source.h"

#include "base/check.h"
#include "model/checkpoint_state.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {

const HostTensor* EncoderSource::find(std::string_view name) const {
  return is_vision() ? checkpoint_.find_vision(name) : checkpoint_.find_audio(name);
}

const HostTensor& EncoderSource::get(std::string_view name) const {
  const HostTensor* tensor = find(name);
  CHECK(tensor != nullptr, "tensor {}", name);
  return *tensor;
}

std::vector<float> EncoderSource::values(std::string_view name) const {
  return decode_tensor(get(name));
}

bool EncoderSource::is_there() const {
  return is_vision() ? checkpoint_.vision() != nullptr : checkpoint_.audio() != nullptr;
}

bool EncoderSource::is_embedder() const {
  CHECK(is_there());
  return is_vision() ? checkpoint_.vision()->is_embedder() : checkpoint_.audio()->is_embedder();
}

std::string EncoderSource::why_unusable() const {
  const Checkpoint::State& state = checkpoint_.state();
  if (is_vision()) return state.vision.is_unusable ? state.vision.problem : "";
  return state.audio.is_unusable ? state.audio.problem : "";
}

const std::filesystem::path& EncoderSource::projector() const {
  return is_vision() ? checkpoint_.projector() : checkpoint_.audio_projector();
}

std::size_t EncoderSource::n_tensors() const {
  std::size_t count = 0;
  const auto visit = [&](std::string_view, const HostTensor&) { ++count; };
  is_vision() ? checkpoint_.for_each_vision(visit) : checkpoint_.for_each_audio(visit);
  return count;
}

std::uint64_t EncoderSource::tensor_bytes() const {
  return is_vision() ? checkpoint_.vision_tensor_bytes() : checkpoint_.audio_tensor_bytes();
}

void EncoderSource::check_unchanged() const {
  is_vision() ? checkpoint_.check_vision_unchanged() : checkpoint_.check_audio_unchanged();
}

}  // namespace pleiad::gemma4
