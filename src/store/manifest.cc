#include "store/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "store/parameters.h"
#include "store/recipe.h"

namespace pleiad::store {
namespace {

constexpr std::string_view kFormat = "pleiad-model/1";
constexpr std::size_t kMaxFileName = 200;
constexpr std::size_t kMaxFiles = 2000;

/// Ends the parsing with a message; caught in parse_manifest.
[[noreturn]] void refuse(const std::string& why) { throw Error("{}", why); }

std::string text_of(const Json& value, std::string_view what) {
  if (!value.is_string()) refuse(fmt::format("{}: expected a text", what));
  return value.get<std::string>();
}

std::string hex_of(const Json& value, std::string_view what) {
  auto hex = digest_hex(text_of(value, what));
  if (!hex) refuse(fmt::format("{}: {}", what, hex.message()));
  return std::move(hex).value();
}

void read_files(const Json& files, Manifest& manifest) {
  if (!files.is_object() || files.empty() || files.size() > kMaxFiles) {
    refuse(fmt::format("model.files: expected an object of 1 to {} files", kMaxFiles));
  }
  for (const auto& [name, digest] : files.items()) {
    if (const std::string problem = problem_of_file_name(name); !problem.empty()) refuse(problem);
    manifest.files.emplace(name, hex_of(digest, "model.files"));
  }
}

/// A path that a manifest names.
std::filesystem::path absolute_path_of(const Json& value, std::string_view what) {
  const std::string text = text_of(value, what);
  std::filesystem::path path = text;
  if (!path.is_absolute() || text.find('\0') != std::string::npos) {
    refuse(fmt::format("{}: expected an absolute path, found '{}'", what, printable(text)));
  }
  return path;
}

void read_manifest_model(const Json& model, Manifest& manifest) {
  if (!model.is_object() || model.size() != 1) {
    refuse("model: expected an object with one of path, blob and files");
  }
  if (const auto path = model.find("path"); path != model.end()) {
    manifest.path = absolute_path_of(*path, "model.path");
  } else if (const auto blob = model.find("blob"); blob != model.end()) {
    manifest.blob = hex_of(*blob, "model.blob");
  } else if (const auto files = model.find("files"); files != model.end()) {
    read_files(*files, manifest);
  } else {
    refuse("model: expected one of path, blob and files");
  }
}

void read_manifest_projector(const Json& projector, Manifest& manifest) {
  const bool one = projector.is_object() && projector.size() == 1;
  if (one && projector.contains("path")) {
    manifest.projector_path = absolute_path_of(projector["path"], "projector.path");
  } else if (one && projector.contains("blob")) {
    manifest.projector_blob = hex_of(projector["blob"], "projector.blob");
  } else {
    refuse("projector: expected an object with one of path and blob");
  }
}

Recipe read_recipe(const Json& json) {
  Recipe recipe;
  std::vector<std::string> problems;
  if (json.contains("system")) recipe.system = text_of(json["system"], "system");
  if (json.contains("parameters")) {
    recipe.parameters = check_parameters(json["parameters"], problems);
  }
  if (json.contains("messages")) recipe.messages = check_messages(json["messages"], problems);
  if (json.contains("licenses")) {
    if (!json["licenses"].is_array()) refuse("licenses: expected a list");
    for (const Json& license : json["licenses"]) {
      recipe.licenses.push_back(text_of(license, "licenses"));
    }
  }
  if (!problems.empty()) refuse(fmt::format("{}", fmt::join(problems, "; ")));
  return recipe;
}

Manifest read_manifest(std::string_view text) {
  const Json json = parse_json(text, "manifest");
  if (!json.is_object()) refuse("expected an object");
  if (!json.contains("format") || json["format"] != kFormat) {
    refuse(fmt::format("format: expected \"{}\"", kFormat));
  }
  if (!json.contains("model")) refuse("model is missing");
  Manifest manifest;
  read_manifest_model(json["model"], manifest);
  if (json.contains("projector")) read_manifest_projector(json["projector"], manifest);
  if (json.contains("from")) manifest.from = text_of(json["from"], "from");
  if (json.contains("pulled")) manifest.pulled = text_of(json["pulled"], "pulled");
  manifest.recipe = read_recipe(json);
  return manifest;
}

}  // namespace

std::vector<std::string> Manifest::blobs() const {
  std::vector<std::string> result;
  if (!blob.empty()) result.push_back(blob);
  for (const auto& [name, hex] : files) result.push_back(hex);
  if (!projector_blob.empty()) result.push_back(projector_blob);
  return result;
}

std::string Manifest::folder_name() const {
  std::string all;
  for (const auto& [name, hex] : files) all += fmt::format("{} {}\n", name, hex);
  return sha256_hex(all);
}

std::string to_json_text(const Manifest& manifest) {
  Json model = Json::object();
  if (!manifest.blob.empty()) {
    model["blob"] = "sha256:" + manifest.blob;
  } else if (!manifest.files.empty()) {
    for (const auto& [name, hex] : manifest.files) model["files"][name] = "sha256:" + hex;
  } else {
    model["path"] = manifest.path.string();
  }
  Json json = {{"format", kFormat}, {"model", std::move(model)}};
  if (!manifest.projector_blob.empty()) {
    json["projector"]["blob"] = "sha256:" + manifest.projector_blob;
  } else if (!manifest.projector_path.empty()) {
    json["projector"]["path"] = manifest.projector_path.string();
  }
  if (!manifest.from.empty()) json["from"] = manifest.from;
  if (!manifest.pulled.empty()) json["pulled"] = manifest.pulled;
  const Recipe& recipe = manifest.recipe;
  if (!recipe.system.empty()) json["system"] = recipe.system;
  if (!recipe.parameters.empty()) json["parameters"] = parameters_to_json(recipe.parameters);
  if (!recipe.messages.empty()) json["messages"] = recipe.messages;
  if (!recipe.licenses.empty()) json["licenses"] = recipe.licenses;
  return exact_text(json, "the model's path or name", 2) + "\n";
}

Result<Manifest> parse_manifest(std::string_view text) {
  try {
    return read_manifest(text);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

std::string problem_of_file_name(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (!name.empty() && plain && name[0] != '.' && name.size() <= kMaxFileName) return {};
  return fmt::format(
      "the file name '{}' cannot be used: expected letters, digits, '.', '_' and '-', "
      "and no folders",
      printable(name));
}

}  // namespace pleiad::store
