// Any bytes at all, read as a Modelfile, as a manifest of our store and as a model's name.
// Whatever is wrong must end in a Failure; what is accepted must be read again as the same
// when it is written down, and must not lead out of the store.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "store/catalog.h"
#include "store/manifest.h"
#include "store/model_name.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const pleiad::store::Recipe& a, const pleiad::store::Recipe& b) {
  return a.system == b.system && a.parameters == b.parameters && a.messages == b.messages &&
         a.licenses == b.licenses;
}

void read_modelfile(const std::string& text) {
  const auto model = pleiad::store::parse_modelfile(text, "/nowhere");
  if (!model) {
    require(!model.message().empty());
    return;
  }
  pleiad::store::ModelEntry entry;
  entry.name = "fuzz:latest";
  entry.path = "/nowhere/model.gguf";
  entry.recipe = model.value().recipe;
  entry.projector = model.value().projector;
  const auto again = pleiad::store::parse_modelfile(pleiad::store::to_modelfile(entry), "/nowhere");
  require(again.ok() && same(again.value().recipe, entry.recipe));
  require(again.value().projector == model.value().projector);
}

void read_manifest(const std::string& text) {
  const auto manifest = pleiad::store::parse_manifest(text);
  if (!manifest) {
    require(!manifest.message().empty());
    return;
  }
  for (const std::string& hex : manifest.value().blobs()) {
    require(hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
  for (const auto& [name, hex] : manifest.value().files) {
    require(name.find('/') == std::string::npos && !name.starts_with("."));
  }
  const auto again = pleiad::store::parse_manifest(pleiad::store::to_json_text(manifest.value()));
  require(again.ok() && same(again.value().recipe, manifest.value().recipe));
  require(again.value().projector_path == manifest.value().projector_path &&
          again.value().projector_blob == manifest.value().projector_blob);
}

void read_name(const std::string& text) {
  const auto name = pleiad::store::ModelName::parse(text);
  if (!name) return;
  int n_parts = 0;
  for (const auto& part : name.value().path()) {
    ++n_parts;
    require(!part.empty() && !part.string().starts_with("."));
  }
  require(n_parts == 4);
  const auto again = pleiad::store::ModelName::parse(name.value().text());
  require(again.ok() && same_name(again.value(), name.value()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_modelfile(text);
  read_manifest(text);
  read_name(text);
  return 0;
}
