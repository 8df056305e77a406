// Any bytes at all, read as a GGUF file: every accessor, what /api/show tells, then the
// configuration and the tensors of a model and of its towers. Whatever is wrong must end in
// LoadError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.h"
#include "formats/gguf/reader.h"
#include "formats/problem_list.h"
#include "model/checkpoint_generation.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/audio/config_load.h"
#include "model/gemma4/config_load.h"
#include "model/gemma4/vision/config_load.h"
#include "store/config_metadata.h"
#include "store/metadata_json.h"

namespace {

volatile unsigned sink = 0;

template <typename Work>
void attempt(Work work) {
  try {
    work();
  } catch (const pleiad::LoadError& error) {
    if (error.what()[0] == '\0') std::abort();
  }
}

void read_all(const pleiad::gguf::File& file) {
  const pleiad::gguf::Metadata& metadata = file.metadata();
  for (const auto& [key, value] : metadata.values()) {
    attempt([&, name = key] { (void)metadata.find_integer(name); });
    attempt([&, name = key] { (void)metadata.find_float(name); });
    attempt([&, name = key] { (void)metadata.find_boolean(name); });
    attempt([&, name = key] { (void)metadata.find_string(name); });
    attempt([&, name = key] { (void)metadata.find_integers(name); });
    attempt([&, name = key] { (void)metadata.find_floats(name); });
    attempt([&, name = key] { (void)metadata.find_booleans(name); });
    attempt([&, name = key] {
      for (const auto text :
           metadata.find_strings(name).value_or(std::vector<std::string_view>())) {
        if (!text.empty()) sink = sink + static_cast<unsigned char>(text.back());
      }
    });
  }
  for (const pleiad::gguf::TensorInfo& tensor : file.tensors()) {
    if (tensor.data.empty()) continue;
    sink = sink + static_cast<unsigned>(tensor.data.front()) +
           static_cast<unsigned>(tensor.data.back());
  }
}

void use(const pleiad::TensorsByName& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (tensor.rows() < 1 || tensor.data.empty()) std::abort();
    sink = sink + static_cast<unsigned>(tensor.data.back());
  }
}

/// As the tower of a model of this width.
void read_vision_tower(const pleiad::gguf::File& file, const pleiad::gemma4::Config& text) {
  (void)pleiad::gemma4::media_tokens_from_gguf(file);
  if (!pleiad::gemma4::has_vision_tower(file)) return;
  pleiad::ProblemList problems("fuzz");
  const auto config = pleiad::gemma4::vision_config_from_gguf(file, text, problems);
  problems.throw_if_any();
  use(pleiad::load_vision_tensors(file, config, problems));
  problems.throw_if_any();
}

void read_audio_tower(const pleiad::gguf::File& file, const pleiad::gemma4::Config& text) {
  (void)pleiad::gemma4::sound_tokens_from_gguf(file);
  if (!pleiad::gemma4::has_audio_tower(file)) return;
  pleiad::ProblemList problems("fuzz");
  const auto config = pleiad::gemma4::audio_config_from_gguf(file, text, problems);
  problems.throw_if_any();
  (void)pleiad::gemma4::audio_tower_problem(config);
  use(pleiad::load_audio_tensors(file, config, problems));
  problems.throw_if_any();
}

void read_towers(const pleiad::gguf::File& file, int model_dim) {
  pleiad::gemma4::Config text;
  text.model_dim = model_dim;
  attempt([&] { read_vision_tower(file, text); });
  attempt([&] { read_audio_tower(file, text); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attempt([&] {
    const auto file = pleiad::gguf::File::from_bytes(std::as_bytes(std::span(data, size)), "fuzz");
    read_all(file);
    attempt([&] { (void)pleiad::generation_from_gguf(file.metadata(), "fuzz"); });
    for (const auto& limits :
         {pleiad::store::MetadataLimits(), pleiad::store::MetadataLimits::all()}) {
      attempt([&] {
        for (const auto& [key, value] :
             pleiad::store::metadata_json(file.metadata(), limits).pairs) {
          sink = sink + static_cast<unsigned>(pleiad::to_text(value).size());
        }
      });
    }
    read_towers(file, 2);
    const auto config = pleiad::gemma4::config_from_gguf(file);
    read_towers(file, config.model_dim);
    (void)pleiad::store::config_metadata(config);
    pleiad::ProblemList problems("fuzz");
    (void)pleiad::load_tensors(file, config, problems);
    problems.throw_if_any();
  });
  return 0;
}
