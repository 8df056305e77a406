// Any bytes at all, as what a registry sends of a model: its manifest or index, its config, and the
// texts that become a recipe. Whatever is wrong must end in a Failure; what is accepted must be
// bounded, and lead to no other file than that of its digest.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "pull/registry/image_manifest.h"
#include "pull/registry/model_layers.h"
#include "store/recipe.h"

namespace {

using namespace pleiad;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_blob(const pull::Descriptor& blob) {
  require(blob.hex.size() == 64 &&
          blob.hex.find_first_not_of("0123456789abcdef") == std::string::npos);
  require(!blob.media_type.empty() && blob.media_type.find(';') == std::string::npos);
  require(blob.size <= std::uint64_t{1} << 50U);
}

void read_manifest(const std::string& text) {
  const auto read = pull::parse_image_manifest(text);
  if (!read) {
    require(!read.message().empty());
    return;
  }
  const pull::ImageManifest& manifest = read.value();
  if (manifest.only) {
    check_blob(*manifest.only);
    require(manifest.layers.empty() && !manifest.config);
  }
  if (manifest.config) check_blob(*manifest.config);
  for (const pull::Descriptor& layer : manifest.layers) check_blob(layer);
  const auto sorted = pull::sort_layers(manifest);
  if (!sorted) {
    require(!sorted.message().empty());
    return;
  }
  check_blob(sorted.value().model);
  require(sorted.value().model.size > 0);
  for (const pull::TextLayer& text_layer : sorted.value().texts) {
    require(text_layer.blob.size <= pull::kLongestTextLayer);
  }
}

void read_texts(const std::string& text) {
  pull::problem_of_config(pull::parse_image_config(text));
  store::Recipe recipe;
  std::vector<std::string> left_out;
  using enum pull::TextLayer::Kind;
  for (const pull::TextLayer::Kind kind : {system, params, messages, license}) {
    const auto added = pull::add_text(recipe, kind, text, left_out);
    require(added.ok() || !added.message().empty());
  }
  store::checked(recipe);  // what was taken is a recipe: this does not throw
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_manifest(text);
  read_texts(text);
  return 0;
}
