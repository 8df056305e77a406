#include "model/gemma4/encoder_loader.h"

#include <utility>

#include "base/mapped_file.h"

namespace pleiad::gemma4 {

EncoderLoader::EncoderLoader(const EncoderSource& source, Backend& backend, LoadProgress progress)
    : source_(source), backend_(backend), progress_(std::move(progress)) {}

ClippedLinear EncoderLoader::clipped(const std::string& name) {
  return {matrix(name), bounds(name + ".input"), bounds(name + ".output")};
}

std::vector<float> EncoderLoader::values(std::string_view name) {
  std::vector<float> values = source_.values(name);
  count(source_.get(name));
  return values;
}

std::vector<float> EncoderLoader::find_values(std::string_view name) {
  return source_.find(name) == nullptr ? std::vector<float>() : values(name);
}

void EncoderLoader::count(const HostTensor& tensor) {
  done_ += tensor.data.size();
  if (progress_) progress_(done_, source_.tensor_bytes());
}

ClipBounds EncoderLoader::bounds(const std::string& side) {
  ClipBounds bounds;
  if (const auto low = find_values(side + "_min"); !low.empty()) bounds.low = low[0];
  if (const auto high = find_values(side + "_max"); !high.empty()) bounds.high = high[0];
  return bounds;
}

Weight EncoderLoader::upload(std::string_view name, WeightUse use) {
  const HostTensor& tensor = source_.get(name);
  prefetch_pages(tensor.data);
  source_.check_unchanged();
  Weight weight = backend_.upload(tensor, use);
  if (!weight.reads_file()) source_.checkpoint().drop_pages(tensor);
  count(tensor);
  return weight;
}

}  // namespace pleiad::gemma4
