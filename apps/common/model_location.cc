#include "apps/common/model_location.h"

#include <vector>

#include "apps/common/named_model.h"
#include "base/error.h"
#include "store/catalog.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> demo_places(const Environment& environment) {
  const fs::path bin = environment.executable.parent_path();
  return {
      bin.parent_path() / "share" / "pleiad" / "demo" / "pleiad-demo.gguf",  // installed
      bin.parent_path() / "models" / "demo" / "pleiad-demo.gguf",            // in the build folder
  };
}

/// There is something of that name, even if it cannot be opened (a link that leads nowhere).
bool is_there(const std::string& argument) {
  std::error_code error;
  return fs::symlink_status(argument, error).type() != fs::file_type::not_found;
}

/// It can only be meant as a path. Names of models may have slashes too.
bool is_path(const std::string& argument) {
  for (const char* start : {"/", "./", "../", "~"}) {
    if (argument.starts_with(start)) return true;
  }
  for (const char* end : {".gguf", ".safetensors"}) {
    if (argument.ends_with(end)) return true;
  }
  return argument.find('/') != argument.npos && is_there(argument);
}

store::ModelEntry entry_of(const fs::path& path, store::Source source) {
  store::ModelEntry entry;
  entry.name = path.string();
  entry.path = path;
  entry.source = source;
  return entry;
}

}  // namespace

std::optional<fs::path> find_demo_model(const Environment& environment) {
  std::error_code error;
  for (const fs::path& place : demo_places(environment)) {
    if (fs::exists(place, error)) return place;
  }
  return std::nullopt;
}

store::ModelEntry find_model_entry(const std::string& argument, const Environment& environment) {
  if (argument == "demo") {
    if (const auto demo = find_demo_model(environment)) {
      return entry_of(*demo, store::Source::demo);
    }
    std::string tried;
    for (const fs::path& place : demo_places(environment)) {
      tried += fmt::format("\n  {}", place.string());
    }
    throw Error("the demo model is not where it should be; looked at{}", tried);
  }
  if (is_path(argument)) return entry_of(argument, store::Source::path);
  auto found = find_named_model(argument, environment);
  // Only then a folder or file of this name here: it would hide the model otherwise.
  const bool is_model = found && found.value().source != store::Source::path;
  if (!is_model && is_there(argument)) return entry_of(argument, store::Source::path);
  if (!found) throw store::ModelNotFound(found.message());
  if (!found.value().problem.empty()) throw Error("{}", found.value().problem);
  return std::move(found).value();
}

fs::path find_model(const std::string& argument, const Environment& environment) {
  return find_model_entry(argument, environment).path;
}

}  // namespace pleiad::apps
