#include "verify/tower.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text_format.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad::verify {
namespace {

namespace fs = std::filesystem;
using gemma4::EncoderSource;

/// Each soft token's value is multiplied by its own: a zero wipes it out.
void judge_factors(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  const std::string name = "vision.std_scale";
  const HostTensor* tensor = checkpoint.find_vision(name);
  if (tensor == nullptr) return;
  Count zero;
  const std::vector<float> values = decode_tensor(*tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) zero.note({0, static_cast<std::int64_t>(i)});
  }
  if (zero.n == 0 || zero.n == values.size()) return;  // all: said of the tensor already
  findings.push_back({Severity::wrong, Kind::bad_scale, tensor->name, name, zero.n, zero.first,
                      fmt::format("{} of {} factors are zero", format_count(zero.n),
                                  format_count(values.size()))});
}

/// In a GGUF file they are what softplus gives, which is above zero.
void judge_query_scales(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  if (!checkpoint.audio()->softplus_applied) return;
  for (int layer = 0; layer < checkpoint.audio()->n_layers; ++layer) {
    const std::string name = fmt::format("audio.layers.{}.attention.per_dim_scale", layer);
    const HostTensor& tensor = *checkpoint.find_audio(name);
    Count bad;
    const std::vector<float> values = decode_tensor(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] <= 0) bad.note({0, static_cast<std::int64_t>(i)});
    }
    if (bad.n == 0) continue;
    findings.push_back({Severity::wrong, Kind::bad_scale, tensor.name, name, bad.n, bad.first,
                        fmt::format("{} of {} scales of queries are not above zero",
                                    format_count(bad.n), format_count(values.size()))});
  }
}

void judge_bounds(const EncoderSource& tower, std::string_view prefix, int n_layers,
                  std::span<const std::string_view> linears, std::vector<Finding>& findings) {
  for (int layer = 0; layer < n_layers; ++layer) {
    for (const std::string_view linear : linears) {
      for (const char* side : {"input", "output"}) {
        const std::string name = fmt::format("{}.layers.{}.{}.{}", prefix, layer, linear, side);
        const HostTensor* low = tower.find(name + "_min");
        const HostTensor* high = tower.find(name + "_max");
        if (low == nullptr || high == nullptr || decode_tensor(*low) != decode_tensor(*high)) {
          continue;
        }
        findings.push_back({Severity::wrong,
                            Kind::constant,
                            low->name,
                            name + "_min",
                            1,
                            {},
                            fmt::format("both clip bounds are {}: every value becomes it",
                                        decode_tensor(*low)[0])});
      }
    }
  }
}

/// A GGUF file with "mmproj" in its name lies beside a model that is one file.
bool has_projector_beside(const Checkpoint& checkpoint) {
  if (checkpoint.gguf() == nullptr) return false;
  const fs::path folder =
      checkpoint.path().has_parent_path() ? checkpoint.path().parent_path() : fs::path(".");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".gguf") && name.find("mmproj") != std::string::npos) return true;
  }
  return false;
}

bool is_there_unusable(const Checkpoint& checkpoint, gemma4::EncoderKind kind) {
  return !EncoderSource(checkpoint, kind).why_unusable().empty();
}

void add_not_checked(const std::string& problem, std::vector<Finding>& findings) {
  findings.push_back(
      {Severity::suspicious, Kind::not_checked, "", "", 1, {}, fmt::format("it {}", problem)});
}

void judge_vision(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  if (checkpoint.vision() != nullptr) {
    judge_factors(checkpoint, findings);
    judge_bounds({checkpoint, gemma4::EncoderKind::vision}, "vision", checkpoint.vision()->n_layers,
                 gemma4::kClippedLinears, findings);
    return;
  }
  const bool is_for_sound = !checkpoint.audio_projector().empty();  // what lies beside it
  const bool is_expected = has_projector_beside(checkpoint) && !is_for_sound;
  const bool is_unusable = is_there_unusable(checkpoint, gemma4::EncoderKind::vision);
  if (checkpoint.unused().vision > 0 || is_expected || is_unusable) {
    add_not_checked(checkpoint.vision_problem(), findings);
  }
}

void judge_audio(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  if (checkpoint.audio() != nullptr) {
    judge_query_scales(checkpoint, findings);
    judge_bounds({checkpoint, gemma4::EncoderKind::audio}, "audio", checkpoint.audio()->n_layers,
                 gemma4::kAudioClippedLinears, findings);
    return;
  }
  const bool is_unusable = is_there_unusable(checkpoint, gemma4::EncoderKind::audio);
  if (checkpoint.unused().audio > 0 || is_unusable) {
    add_not_checked(checkpoint.audio_problem(), findings);
  }
}

}  // namespace

void judge_towers(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  judge_vision(checkpoint, findings);
  judge_audio(checkpoint, findings);
}

}  // namespace pleiad::verify
