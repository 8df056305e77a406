#include "store/own_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <span>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "store/blobs.h"
#include "store/details.h"
#include "store/model_files.h"
#include "store/small_file.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

/// The names in a folder; none where it cannot be read, of which the first is told in `problem`.
std::vector<std::string> names_in(const fs::path& folder, std::string* problem) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  const bool is_none = !error || error == std::errc::no_such_file_or_directory ||
                       error == std::errc::not_a_directory;
  if (!is_none && problem != nullptr && problem->empty()) {
    *problem = fmt::format("{}: cannot be read: {}", folder.string(), errno_text(error.value()));
  }
  std::ranges::sort(names);
  return names;
}

/// Those of a manifest: its model's, its namespace's, its host's.
void remove_empty_folders(const fs::path& manifest) {
  fs::path folder = manifest.parent_path();
  for (int level = 0; level < 3 && ::rmdir(folder.c_str()) == 0; ++level) {
    folder = folder.parent_path();
  }
}

}  // namespace

std::vector<ModelName> manifest_names(const fs::path& manifests, std::string* problem) {
  std::vector<ModelName> result;
  for (const std::string& host : names_in(manifests, problem)) {
    for (const std::string& space : names_in(manifests / host, problem)) {
      for (const std::string& model : names_in(manifests / host / space, problem)) {
        for (const std::string& tag : names_in(manifests / host / space / model, problem)) {
          auto name = ModelName::from_parts(host, space, model, tag);
          if (name) result.push_back(std::move(name).value());
        }
      }
    }
  }
  // Ours are written beside their place first.
  std::erase_if(result, [](const ModelName& name) {
    return name.tag.find(".partial-") != std::string::npos;
  });
  return result;
}

std::optional<ModelName> find_manifest(const fs::path& manifests, const ModelName& name) {
  if (is_file(manifests / name.path())) return name;  // the usual case
  for (ModelName& stored : manifest_names(manifests)) {
    if (same_name(stored, name)) return std::move(stored);
  }
  return std::nullopt;
}

fs::path OwnStore::manifest_path(const ModelName& name) const {
  return root_ / "manifests" / name.path();
}

fs::path OwnStore::model_path(const Manifest& manifest) const {
  if (!manifest.blob.empty()) return blob_path(root_, manifest.blob);
  if (!manifest.files.empty()) return root_ / "checkpoints" / manifest.folder_name();
  return manifest.path;
}

fs::path OwnStore::projector_path(const Manifest& manifest) const {
  if (!manifest.projector_blob.empty()) return blob_path(root_, manifest.projector_blob);
  return manifest.projector_path;
}

std::optional<ModelName> OwnStore::find(const ModelName& name) const {
  if (root_.empty()) return std::nullopt;
  return find_manifest(root_ / "manifests", name);
}

Result<Manifest> OwnStore::get(const ModelName& name) const {
  const fs::path path = manifest_path(name);
  const auto text = read_small_file(path);
  if (!text) return Failure{text.message()};
  auto manifest = parse_manifest(text.value());
  if (!manifest) return Failure{fmt::format("{}: {}", path.string(), manifest.message())};
  return manifest;
}

ModelEntry OwnStore::entry(const ModelName& name) const {
  ModelEntry found;
  found.name = name.text();
  found.source = Source::own;
  const fs::path path = manifest_path(name);
  const auto text = read_small_file(path);
  found.digest = sha256_hex(text ? text.value() : path.string());
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) found.modified = status.st_mtime;
  auto manifest = get(name);
  if (!manifest) {
    found.problem = manifest.message();
    return found;
  }
  found.path = model_path(manifest.value());
  found.parent = manifest.value().from;
  found.pulled = manifest.value().pulled;
  found.recipe = std::move(manifest.value().recipe);
  found.projector = projector_path(manifest.value());
  const FilesStamp stamp = stamp_of(found.path, found.projector);
  found.size_bytes = stamp.size_bytes;
  if (!stamp.complete) {
    const bool no_projector = stamp_of(found.path, {}).complete;
    found.problem = fmt::format("{} is missing, which this model{} is made of",
                                (no_projector ? found.projector : found.path).string(),
                                found.parent.empty() ? "" : " (from " + found.parent + ")");
  }
  return found;
}

std::vector<ModelEntry> OwnStore::scan() const {
  std::vector<ModelEntry> entries;
  if (root_.empty()) return entries;
  for (const ModelName& name : manifest_names(root_ / "manifests")) {
    entries.push_back(entry(name));
  }
  return entries;
}

void OwnStore::make_checkpoint(const Manifest& manifest) {
  const fs::path folder = root_ / "checkpoints" / manifest.folder_name();
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  const fs::path temporary = folder.string() + ".partial";
  fs::remove_all(temporary, error);  // of a process that was ended
  make_folder(temporary);
  for (const auto& [name, hex] : manifest.files) {
    fs::create_symlink(fs::path("../../blobs") / blob_name(hex), temporary / name, error);
    if (error) break;
  }
  if (!error) fs::rename(temporary, folder, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  throw Error("{}: cannot be written: {}", folder.string(), error.message());
}

void OwnStore::check(const Manifest& manifest) {
  const fs::path path = model_path(manifest);
  std::error_code error;
  const bool is_new = !manifest.files.empty() && !fs::exists(path, error);
  if (is_new) make_checkpoint(manifest);
  const Inspection inspection = inspect(path, projector_path(manifest));
  if (inspection.problem.empty()) return;
  if (is_new) fs::remove_all(path, error);
  throw Error("{}", inspection.problem);
}

void OwnStore::put(const ModelName& name, const Manifest& manifest) {
  const ModelName place = find(name).value_or(name);
  const fs::path path = manifest_path(place);
  const std::string text = to_json_text(manifest);
  const auto old = get(place);
  try {
    if (!manifest.files.empty()) make_checkpoint(manifest);
    make_folder(path.parent_path());
    OutputFile file(path);
    file.write(std::as_bytes(std::span(text.data(), text.size())));
    file.finish();
  } catch (const Error&) {
    remove_empty_folders(path);
    throw;
  }
  if (old) drop_unneeded(old.value());
}

void OwnStore::remove(const ModelName& name) {
  const fs::path path = manifest_path(name);
  const auto manifest = get(name);
  if (::unlink(path.c_str()) != 0) {
    throw Error("{}: cannot be removed: {}", path.string(), errno_text(errno));
  }
  remove_empty_folders(path);
  if (manifest) drop_unneeded(manifest.value());
}

Result<OwnStore::Needed> OwnStore::needed() const {
  Needed needed;
  std::string problem;
  const std::vector<ModelName> names = manifest_names(root_ / "manifests", &problem);
  if (!problem.empty()) {
    return Failure{fmt::format("{}: it is not known what its models need", problem)};
  }
  for (const ModelName& name : names) {
    const auto manifest = get(name);
    if (!manifest) {
      return Failure{
          fmt::format("{}: it is not known what this model needs; `pleiad rm {}` removes it",
                      manifest.message(), name.text())};
    }
    for (const std::string& hex : manifest.value().blobs()) needed.blobs.insert(hex);
    if (!manifest.value().files.empty()) needed.folders.insert(manifest.value().folder_name());
  }
  return needed;
}

void OwnStore::drop_unneeded(const Manifest& removed) {
  const auto needed = this->needed();
  if (!needed) return;  // nothing is dropped
  std::error_code ignored;
  if (!removed.files.empty() && !needed.value().folders.contains(removed.folder_name())) {
    fs::remove_all(root_ / "checkpoints" / removed.folder_name(), ignored);
  }
  for (const std::string& hex : removed.blobs()) {
    if (!needed.value().blobs.contains(hex)) fs::remove(blob_path(root_, hex), ignored);
  }
}

}  // namespace pleiad::store
