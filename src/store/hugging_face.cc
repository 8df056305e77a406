#include "store/hugging_face.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/projector_choice.h"
#include "store/folder_entries.h"
#include "store/gguf_file_name.h"
#include "store/hugging_face_layout.h"
#include "store/model_files.h"
#include "store/model_name.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHostPrefix = "hf.co/";
constexpr std::size_t kMaxEntries = 10'000;  // of a folder

std::time_t time_of(const fs::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// The snapshot that "main" means, else the latest.
fs::path snapshot_of(const fs::path& repository) {
  const std::string commit = noted_commit(repository / "refs" / "main");
  const fs::path snapshot = repository / "snapshots" / commit;
  if (!commit.empty() && is_folder(snapshot)) return snapshot;
  const auto all = folder_entries(repository / "snapshots", kMaxEntries);
  const auto latest =
      std::ranges::max_element(all, {}, [](const fs::path& path) { return time_of(path); });
  return latest == all.end() ? fs::path() : *latest;
}

/// Branches and tags by the commits that they meant last: of several the first by name.
std::map<std::string, std::string> noted_revisions(const fs::path& repository) {
  std::map<std::string, std::string> names;
  const fs::path refs = repository / "refs";
  std::error_code error;
  std::size_t n_entries = 0;
  for (fs::recursive_directory_iterator at(refs, error);
       !error && at != fs::recursive_directory_iterator() && n_entries < kMaxEntries;
       at.increment(error)) {
    ++n_entries;
    const std::string commit = noted_commit(at->path());
    if (commit.empty()) continue;
    const std::string name = at->path().lexically_relative(refs).generic_string();
    std::string& kept = names[commit];
    if (kept.empty() || name < kept) kept = name;
  }
  return names;
}

struct GgufFile {
  fs::path path;
  GgufFileName name;
};

/// The models among the files of a snapshot and of all its folders, by path.
std::vector<GgufFile> gguf_files_of(const fs::path& snapshot) {
  constexpr int kDeepestOfSnapshot = 16;
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(snapshot, error);
  for (; !error && at != fs::recursive_directory_iterator() && paths.size() < kMaxEntries;
       at.increment(error)) {
    if (at.depth() == kDeepestOfSnapshot) at.disable_recursion_pending();
    if (is_gguf_file_name(at->path().filename().string())) paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  std::vector<GgufFile> files;
  for (const fs::path& path : paths) {
    GgufFileName name = parse_gguf_file_name(path.filename().string());
    if (name.is_model() && !is_folder(path)) files.push_back({path, std::move(name)});
  }
  return files;
}

ModelEntry make_entry(const fs::path& path, std::string name) {
  ModelEntry entry;
  entry.name = std::move(name);
  entry.path = path;
  entry.source = Source::hugging_face;
  return entry;
}

/// The projector file of a model that has a folder of its own, and none in it: of the nearest
/// folder above that has some.
fs::path projector_above(const fs::path& snapshot, const fs::path& model) {
  fs::path folder = model.parent_path();
  auto found = projectors_beside(model);
  if (folder == snapshot || !found.empty()) return {};
  while (found.empty() && folder != snapshot) {
    folder = folder.parent_path();
    found = projectors_beside(folder / model.filename());
  }
  const fs::path* chosen = preferred_projector(found, model);
  return chosen == nullptr ? fs::path() : *chosen;
}

/// The models of a snapshot, as those of `name`: "hf.co/org/name", "hf.co/org/name@v1".
std::vector<ModelEntry> models_of(const fs::path& snapshot, const std::string& name) {
  std::vector<ModelEntry> entries;
  if (looks_like_checkpoint(snapshot)) entries.push_back(make_entry(snapshot, name));
  const auto files = gguf_files_of(snapshot);
  std::map<std::string, int> quantizations;
  for (const GgufFile& file : files) ++quantizations[file.name.quantization];
  for (const GgufFile& file : files) {
    const std::string& quantization = file.name.quantization;
    const bool tells = !quantization.empty() && quantizations[quantization] == 1;
    entries.push_back(make_entry(
        file.path,
        fmt::format("{}:{}", name, tells ? quantization : file.path.filename().string())));
    entries.back().projector = projector_above(snapshot, file.path);
  }
  return entries;
}

/// What tells whether two entries are the same weights: where links lead, of a folder those of its
/// weights.
std::vector<fs::path> places_of(const ModelEntry& entry) {
  std::vector<fs::path> places;
  for (const fs::path& file : model_files(entry.path)) {
    std::error_code error;
    const fs::path place = fs::canonical(file, error);
    places.push_back(error ? file : place);
  }
  std::ranges::sort(places);
  return places;
}

void scan_repository(const fs::path& folder, std::vector<ModelEntry>& entries) {
  const std::string repository = repository_name(folder.filename().string());
  if (repository.empty()) return;
  const fs::path main = snapshot_of(folder);
  if (main.empty()) return;
  const std::string name = fmt::format("{}{}", kHostPrefix, repository);
  std::set<std::vector<fs::path>> seen;
  const auto add = [&](const fs::path& snapshot, const std::string& called) {
    for (ModelEntry& entry : models_of(snapshot, called)) {
      const bool is_new = seen.insert(places_of(entry)).second;
      if (is_new || snapshot == main) entries.push_back(std::move(entry));
    }
  };
  add(main, name);
  const auto revisions = noted_revisions(folder);
  for (const fs::path& snapshot : folder_entries(folder / "snapshots", kMaxEntries)) {
    const std::string commit = snapshot.filename().string();
    if (snapshot == main || !is_model_part(commit)) continue;
    const auto noted = revisions.find(commit);
    add(snapshot, fmt::format("{}@{}", name, noted == revisions.end() ? commit : noted->second));
  }
}

std::string_view without_host(std::string_view name) {
  for (const std::string_view host : {"hf.co/", "huggingface.co/", "hf:"}) {
    if (name.size() > host.size() && same_name(name.substr(0, host.size()), host)) {
      return name.substr(host.size());
    }
  }
  return name;
}

/// "org/name" and what follows the colon.
std::pair<std::string_view, std::string_view> split_selector(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

/// "org/name[@revision]": the same one, of a commit by some of its digits.
bool same_repository(std::string_view wanted, std::string_view own) {
  if (same_name(wanted, own)) return true;
  constexpr std::size_t kFewestDigits = 7;
  const std::size_t at = wanted.find('@');
  const bool may_be_shorter = at != std::string_view::npos &&
                              wanted.size() >= at + 1 + kFewestDigits && own.size() > wanted.size();
  if (!may_be_shorter || !same_name(wanted, own.substr(0, wanted.size()))) return false;
  return is_commit(own.substr(at + 1));
}

bool selects(std::string_view selector, const ModelEntry& entry) {
  const auto [repository, own] = split_selector(without_host(entry.name));
  if (same_name(selector, own)) return true;
  const std::string file = entry.path.filename().string();
  if (!is_gguf_file_name(file)) return false;
  const GgufFileName name = parse_gguf_file_name(file);
  return same_name(selector, file) || same_name(selector, name.stem);
}

}  // namespace

std::vector<ModelEntry> scan_hugging_face(const fs::path& hub) {
  std::vector<ModelEntry> entries;
  for (const fs::path& folder : folder_entries(hub, kMaxEntries)) scan_repository(folder, entries);
  return entries;
}

Result<const ModelEntry*> find_hugging_face(std::string_view name,
                                            const std::vector<ModelEntry>& entries) {
  const auto [wanted, given] = split_selector(without_host(name));
  const std::string_view selector = same_name(given, "latest") ? "" : given;
  std::vector<const ModelEntry*> found;
  for (const ModelEntry& entry : entries) {
    if (entry.source != Source::hugging_face) continue;
    const auto [repository, own] = split_selector(without_host(entry.name));
    if (!same_repository(wanted, repository)) continue;
    if (selector.empty() && own.empty()) return &entry;  // the checkpoint itself
    if (selector.empty() || selects(selector, entry)) found.push_back(&entry);
  }
  if (found.empty()) return static_cast<const ModelEntry*>(nullptr);
  if (found.size() == 1) return found[0];
  std::vector<std::string> names;
  for (const ModelEntry* entry : found) names.push_back(entry->name);
  return Failure{fmt::format("'{}' could be one of {} models; choose one: {}", name, found.size(),
                             fmt::join(names, ", "))};
}

}  // namespace pleiad::store
