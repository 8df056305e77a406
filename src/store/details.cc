#include "store/details.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/ascii.h"
#include "base/error.h"
#include "formats/gguf/reader.h"
#include "model/checkpoint.h"
#include "model/stored_tensors.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostKnown = 4096;

/// The numbers of general.file_type.
struct FileType {
  int number;
  std::string_view name;
};
constexpr std::array kFileTypes = {
    FileType{0, "F32"},     FileType{1, "F16"},     FileType{2, "Q4_0"},    FileType{3, "Q4_1"},
    FileType{7, "Q8_0"},    FileType{8, "Q5_0"},    FileType{9, "Q5_1"},    FileType{14, "Q4_K_S"},
    FileType{15, "Q4_K_M"}, FileType{16, "Q5_K_S"}, FileType{17, "Q5_K_M"}, FileType{18, "Q6_K"},
    FileType{32, "BF16"},
};

/// What the file says of itself, else the type of most weights.
std::string quantization_of(const Checkpoint& checkpoint) {
  if (checkpoint.gguf() != nullptr) {
    const auto type = checkpoint.gguf()->metadata().find_integer("general.file_type");
    for (const FileType& known : kFileTypes) {
      if (type == known.number) return std::string(known.name);
    }
  }
  switch (checkpoint.main_dtype()) {
    case DType::f8_e4m3:
      return "FP8";
    case DType::nvfp4_packed:
      return "NVFP4";
    default:
      return ascii_upper(name(checkpoint.main_dtype()));
  }
}

/// Weights of an encoder, and the type that most of its matrices' have.
class EncoderSum {
 public:
  void add(const HostTensor& tensor) {
    const std::int64_t count = element_count(tensor.shape);
    n_parameters_ += static_cast<std::uint64_t>(count);
    // Of matrices: a table of positions has as many values as all layers of a small tower.
    if (tensor.shape.size() == 2) weights_[static_cast<std::size_t>(tensor.dtype)] += count;
  }
  std::uint64_t n_parameters() const { return n_parameters_; }
  std::string type() const {
    const auto most = std::ranges::max_element(weights_) - weights_.begin();
    return ascii_upper(name(static_cast<DType>(most)));
  }

 private:
  std::uint64_t n_parameters_ = 0;
  std::array<std::int64_t, kDTypeCount> weights_ = {};
};

VisionDetails vision_details_of(const Checkpoint& checkpoint) {
  EncoderSum sum;
  checkpoint.for_each_vision([&](std::string_view, const HostTensor& tensor) { sum.add(tensor); });
  return {sum.n_parameters(), sum.type(), checkpoint.vision()->default_budget};
}

AudioDetails audio_details_of(const Checkpoint& checkpoint) {
  EncoderSum sum;
  checkpoint.for_each_audio([&](std::string_view, const HostTensor& tensor) { sum.add(tensor); });
  return {sum.n_parameters(), sum.type()};
}

ModelDetails details_of(const Checkpoint& checkpoint) {
  ModelDetails details;
  details.format = checkpoint.gguf() != nullptr ? "gguf" : "safetensors";
  checkpoint.for_each([&](std::string_view, const HostTensor& tensor) {
    details.parameter_count += static_cast<std::uint64_t>(element_count(tensor.shape));
  });
  details.parameter_size = parameter_size_text(details.parameter_count);
  details.quantization_level = quantization_of(checkpoint);
  details.context_length = checkpoint.config().context_length;
  details.embedding_length = checkpoint.config().model_dim;
  if (checkpoint.picture_problem().empty()) details.vision = vision_details_of(checkpoint);
  if (checkpoint.sound_problem().empty()) details.audio = audio_details_of(checkpoint);
  return details;
}

}  // namespace

std::optional<int> file_type_number(std::string_view level) {
  for (const FileType& known : kFileTypes) {
    if (level == known.name) return known.number;
  }
  return std::nullopt;
}

std::string parameter_size_text(std::uint64_t count) {
  const auto number = static_cast<double>(count);
  if (count >= 1'000'000'000) return fmt::format("{:.1f}B", number / 1e9);
  if (count >= 1'000'000) return fmt::format("{:.2f}M", number / 1e6);
  if (count >= 1'000) return fmt::format("{:.2f}K", number / 1e3);
  return fmt::format("{}", count);
}

Inspection inspect(const fs::path& path, const fs::path& projector) {
  try {
    const Checkpoint checkpoint = Checkpoint::open(path, {projector});
    if (checkpoint.tokenizer_source() == TokenizerSource::none) {
      return {std::nullopt, {}, fmt::format("{}: there is no tokenizer in it", path.string())};
    }
    return {details_of(checkpoint), projector_files(checkpoint), {}};
  } catch (const Error& error) {
    return {std::nullopt, {}, error.what()};
  } catch (const std::bad_alloc&) {
    return {std::nullopt,
            {},
            fmt::format("{}: there is not enough memory to look at it", path.string())};
  }
}

Inspection DetailsCache::get(const fs::path& path, const fs::path& projector,
                             const std::string& stamp) {
  const std::string key = fmt::format("{}\n{}", path.string(), projector.string());
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end() && found->second.stamp == stamp) return found->second.inspection;
  }
  Inspection inspection = inspect(path, projector);  // may take long: others go on meanwhile
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_.insert_or_assign(key, Known{stamp, inspection});
  return inspection;
}

}  // namespace pleiad::store
