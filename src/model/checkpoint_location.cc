#include "model/checkpoint_location.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/file_status.h"
#include "base/mapped_file.h"
#include "formats/not_a_model.h"
#include "formats/safetensors/folder.h"

namespace pleiad {

namespace fs = std::filesystem;

namespace {

/// The kind of file at `path`, symlinks followed. Throws LoadError where there is
/// none or it cannot be looked at (a loop of links, a folder that may not be read).
fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw LoadError("{}: no such file or folder", path.string());
  }
  if (status.type() == fs::file_type::none || status.type() == fs::file_type::unknown) {
    throw LoadError("{}: cannot be opened: {}", path.string(), error.message());
  }
  return status.type();
}

bool starts_with_gguf(const fs::path& path) {
  const MappedFile file(path);
  refuse_what_is_no_model(file.bytes(), path.string());
  constexpr std::array magic = {std::byte{'G'}, std::byte{'G'}, std::byte{'U'}, std::byte{'F'}};
  return file.bytes().size() >= magic.size() &&
         std::ranges::equal(file.bytes().first(magic.size()), magic);
}

/// True for every part of a split GGUF but the first.
bool is_later_part(const std::string& name) {
  const std::size_t of = name.rfind("-of-");
  return of != std::string::npos && of >= 6 && name[of - 6] == '-' &&
         name.substr(of - 5, 5) != "00001";
}

/// The GGUF models in a folder: encoders (mmproj) and later parts do not count.
std::vector<fs::path> gguf_models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".gguf") continue;
    if (name.find("mmproj") != std::string::npos || is_later_part(name)) continue;
    models.push_back(entry.path());
  }
  if (error) throw LoadError("{}: cannot be read: {}", folder.string(), error.message());
  std::ranges::sort(models);
  return models;
}

CheckpointLocation locate_in_folder(const fs::path& folder) {
  const bool has_config = is_there(folder / "config.json");
  if (has_config && safetensors::Folder::looks_like_one(folder)) return {folder, false};
  const auto models = gguf_models_in(folder);
  if (models.size() == 1) return {models[0], true};
  if (models.size() > 1) {
    throw LoadError("{}: holds {} GGUF models ({}, {}{}); give the path of one of them",
                    folder.string(), models.size(), models[0].filename().string(),
                    models[1].filename().string(), models.size() > 2 ? ", ..." : "");
  }
  if (has_config) return {folder, false};  // opening it says what is missing
  throw LoadError("{}: no model here: expected config.json with safetensors, or a .gguf file",
                  folder.string());
}

}  // namespace

CheckpointLocation locate_checkpoint(const fs::path& path) {
  const fs::file_type type = type_of(path);
  if (type == fs::file_type::directory) return locate_in_folder(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (type == fs::file_type::regular) {
    if (starts_with_gguf(path)) return {path, true};
    if (path.extension() == ".safetensors" || path.extension() == ".json") return {folder, false};
    if (path.extension() != ".gguf") {
      throw LoadError("{}: neither a GGUF file nor part of a safetensors folder", path.string());
    }
  }
  return {path, true};  // opening it says what it is instead
}

}  // namespace pleiad
