#include "model/gemma4/encoder_source.h"

#include "base/check.h"
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

std::uint64_t EncoderSource::tensor_bytes() const {
  return is_vision() ? checkpoint_.vision_tensor_bytes() : checkpoint_.audio_tensor_bytes();
}

void EncoderSource::check_unchanged() const {
  is_vision() ? checkpoint_.check_vision_unchanged() : checkpoint_.check_audio_unchanged();
}

}  // namespace pleiad::gemma4
