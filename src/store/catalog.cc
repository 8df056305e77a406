#include "store/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "store/arrivals.h"
#include "store/blobs.h"
#include "store/close_names.h"
#include "store/details.h"
#include "store/folder_scan.h"
#include "store/gguf_file_name.h"
#include "store/hugging_face.h"
#include "store/hugging_face_removal.h"
#include "store/manifest.h"
#include "store/model_files.h"
#include "store/model_name.h"
#include "store/ollama_store.h"
#include "store/own_store.h"
#include "store/projector_file.h"
#include "store/recipe.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDemo = "demo:latest";

/// "model:tag" in lower case where it is such a name, for comparing; else as it is.
std::string comparable(const std::string& name) {
  const auto parsed = ModelName::parse(name);
  return parsed ? ascii_lower(parsed.value().text()) : name;
}

/// "x.gguf: cut off" of "/srv/models/x.gguf: cut off".
std::string without_folder(std::string text, const fs::path& place) {
  const std::string folder = place.string() + "/";
  if (folder.size() < 2) return text;
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
    text.erase(at, folder.size());
  }
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found && !error;
}

}  // namespace

class Catalog::Impl {
 public:
  explicit Impl(CatalogOptions options) : options_(std::move(options)), own_(options_.own) {}

  std::vector<ModelEntry> list() {
    std::vector<ModelEntry> entries = scan();
    for (ModelEntry& entry : entries) complete(entry);
    std::ranges::stable_sort(entries, std::ranges::greater(), &ModelEntry::modified);
    return entries;
  }

  Result<ModelEntry> find(const std::string& name) {
    auto found = find_named(name);
    if (found) complete(found.value());
    return found;
  }

  ModelEntry create(const NewModel& model) {
    const ModelName name = writable_name(model.name);
    Manifest manifest;
    const Recipe added = checked(model.recipe);
    const auto [from, projector] = told_apart(model);
    const StoreLock lock(options_.own);
    if (!from.empty() && !model.files.empty()) {
      throw Error("give either a model to start from or files, not both");
    }
    if (from.empty() && model.files.empty()) {
      throw Error("neither a model to start from nor files are given");
    }
    if (!model.files.empty()) {
      if (!projector.empty()) throw Error("a projector belongs among the files");
      manifest = manifest_of_files(model.files);
      manifest.recipe = added;
    } else {
      const ModelEntry base = usable(from);
      manifest = manifest_of(base);
      manifest.pulled.clear();
      manifest.from = from;
      manifest.recipe = merge(base.recipe, added);
      if (!projector.empty()) set_projector(manifest, projector);
    }
    const bool is_new = !model.files.empty() || !projector.empty();
    if (is_new) own_.check(manifest);  // else what it was made of was looked at
    own_.put(name, manifest);
    return find_own(name);
  }

  void copy(const std::string& source, const std::string& destination) {
    const ModelName name = writable_name(destination);
    const StoreLock lock(options_.own);
    const ModelEntry base = usable(source);
    Manifest manifest = manifest_of(base);
    manifest.pulled.clear();
    manifest.from = base.parent.empty() ? source : base.parent;
    manifest.recipe = base.recipe;
    own_.put(name, manifest);
  }

  void remove(const std::string& name) {
    const auto parsed = ModelName::parse(name);
    if (parsed) {
      const StoreLock lock(options_.own);
      if (const auto stored = own_.find(parsed.value())) {
        own_.remove(*stored);
        return;
      }
    }
    const auto found = find_named(name);
    if (!found) throw ModelNotFound("{}", found.message());
    if (found.value().source == Source::hugging_face) {
      return remove_from_hugging_face(found.value());
    }
    throw Error("'{}' is not in Pleiad's store but belongs to {} ({}); remove it there",
                printable(name), owner(found.value().source), found.value().path.string());
  }

  std::string install(const std::string& name, const Manifest& manifest,
                      const std::set<std::string>& arrived) {
    const ModelName place = writable_name(name);
    const StoreLock lock(options_.own);
    return store::install(options_.own, place, manifest, arrived);
  }

  static void check_writable(const std::string& name) { writable_name(name); }

  const fs::path& own_root() const { return own_.root(); }
  bool allows_paths() const { return options_.allow_paths; }

 private:
  /// All models, without details; of those with one name the first source's only.
  std::vector<ModelEntry> scan() const {
    std::vector<ModelEntry> all = own_.scan();
    const auto add = [&](std::vector<ModelEntry> more) {
      std::ranges::move(more, std::back_inserter(all));
    };
    for (const fs::path& store : options_.ollama) add(scan_ollama_store(store));
    for (const fs::path& hub : options_.hugging_face) add(scan_hugging_face(hub));
    for (const fs::path& folder : options_.folders) add(scan_folder(folder));
    if (!options_.demo.empty()) add({demo()});
    std::set<std::string> seen;
    std::erase_if(
        all, [&](const ModelEntry& entry) { return !seen.insert(comparable(entry.name)).second; });
    return all;
  }

  ModelEntry demo() const {
    ModelEntry entry;
    entry.name = kDemo;
    entry.path = options_.demo;
    entry.source = Source::demo;
    return entry;
  }

  /// Adds what the model's files say.
  void complete(ModelEntry& entry) {
    inspect_files(entry);
    if (options_.allow_paths) return;
    const auto hide_places = [&](std::string& text) {
      if (text.empty()) return;
      text = without_folder(std::move(text), entry.path.parent_path());
      for (const std::string& place : places()) text = without_folder(std::move(text), place);
    };
    hide_places(entry.problem);
    for (std::string& warning : entry.warnings) hide_places(warning);
  }

  void inspect_files(ModelEntry& entry) {
    if (entry.path.empty()) return;  // `problem` says why
    const FilesStamp stamp = stamp_of(entry.path, entry.projector);
    if (entry.size_bytes == 0) entry.size_bytes = stamp.size_bytes;
    if (entry.modified == 0) entry.modified = stamp.modified;
    if (entry.digest.empty()) entry.digest = sha256_hex(stamp.text);
    if (!entry.problem.empty()) return;
    Inspection inspection = details_.get(entry.path, entry.projector, stamp.text + stamp.beside);
    if (!inspection.problem.empty() && entry.source == Source::ollama && !entry.projector.empty()) {
      leave_projector_out(entry, inspection);
    }
    entry.details = std::move(inspection.details);
    entry.problem = std::move(inspection.problem);
    if (!entry.projector.empty()) return;
    entry.projectors_beside = std::move(inspection.projectors);
    for (const fs::path& projector : entry.projectors_beside) {
      std::error_code error;
      const std::uintmax_t size = fs::file_size(projector, error);
      if (!error) entry.size_bytes += size;
    }
  }

  /// What Ollama runs with a projector that is none of ours answers without it.
  void leave_projector_out(ModelEntry& entry, Inspection& inspection) {
    const FilesStamp stamp = stamp_of(entry.path, {});
    Inspection without = details_.get(entry.path, {}, stamp.text + stamp.beside);
    if (!without.problem.empty()) return;
    entry.warnings.push_back("its projector: " + inspection.problem);
    entry.projector.clear();
    inspection = std::move(without);
  }

  Result<ModelEntry> find_named(const std::string& name) const {
    if (name.empty()) return Failure{"the model's name is empty"};
    if (name.find('\0') != std::string::npos) {
      return Failure{fmt::format("'{}' is not a model's name", printable(name))};
    }
    const fs::path path = as_path(name);
    const bool is_path = options_.allow_paths && is_there(path);
    if (is_path && is_said_as_path(name)) return entry_of_path(path);
    if (auto stored = find_stored(name)) return std::move(*stored);
    const std::vector<ModelEntry> entries = scan();
    const std::string wanted = comparable(name);
    for (const ModelEntry& entry : entries) {
      if (comparable(entry.name) == wanted) return entry;
    }
    const auto cached = find_hugging_face(name, entries);
    if (!cached) return Failure{cached.message()};
    if (cached.value() != nullptr) return *cached.value();
    if (is_path) return entry_of_path(path);
    return not_found(name, entries);
  }

  /// Where a name leads straight to its file: no store is read through.
  std::optional<ModelEntry> find_stored(const std::string& name) const {
    const auto parsed = ModelName::parse(name);
    if (!parsed) return std::nullopt;
    if (const auto stored = own_.find(parsed.value())) return own_.entry(*stored);
    for (const fs::path& store : options_.ollama) {
      if (auto found = find_in_ollama_store(store, parsed.value())) return found;
    }
    return std::nullopt;
  }

  fs::path as_path(const std::string& name) const {
    if (name.starts_with("~/") && !options_.home.empty()) return options_.home / name.substr(2);
    return name;
  }

  static ModelEntry entry_of_path(const fs::path& path) {
    ModelEntry entry;
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    entry.path = error ? path : absolute.lexically_normal();
    entry.name = entry.path.string();
    entry.source = Source::path;
    return entry;
  }

  Failure not_found(const std::string& name, const std::vector<ModelEntry>& entries) const {
    if (is_said_as_path(name)) {
      return {
          options_.allow_paths
              ? fmt::format("model '{}' not found: there is no such file or folder",
                            printable(name, 300))
              : fmt::format("model '{}' not found: paths cannot be given here", printable(name))};
    }
    std::vector<std::string> names;
    for (const ModelEntry& entry : entries) names.push_back(entry.name);
    const auto close = close_names(name, names);
    std::string text = fmt::format("model '{}' not found", printable(name));
    if (!close.empty()) return {fmt::format("{}; did you mean {}?", text, fmt::join(close, ", "))};
    if (!options_.allow_paths) return {text};  // where we looked is nobody else's business
    return {fmt::format("{}; looked in {}", text, fmt::join(places(), ", "))};
  }

  std::vector<std::string> places() const {
    std::vector<std::string> result;
    if (!options_.own.empty()) result.push_back(options_.own.string());
    for (const auto* list : {&options_.ollama, &options_.hugging_face, &options_.folders}) {
      for (const fs::path& place : *list) result.push_back(place.string());
    }
    return result;
  }

  static std::string_view owner(Source source) {
    switch (source) {
      case Source::own:
        return "Pleiad";
      case Source::ollama:
        return "Ollama";
      case Source::hugging_face:
        return "the Hugging Face cache";
      case Source::folder:
      case Source::path:
        return "you";
      case Source::demo:
        return "the program";
    }
    return "";
  }

  static ModelName writable_name(const std::string& text) {
    auto name = ModelName::parse(text);
    if (!name) throw Error("{}", name.message());
    if (name.value().text().find(".partial-") != std::string::npos) {
      throw Error("'{}': a name must not contain \".partial-\", as files do that are half written",
                  printable(text));
    }
    if (same_name(name.value().text(), kDemo)) {
      throw Error("'{}' is the demo model's name; choose another", printable(text));
    }
    return std::move(name).value();
  }

  /// A model that another can be made of.
  ModelEntry usable(const std::string& name) {
    auto found = find(name);
    if (!found) throw ModelNotFound("{}", found.message());
    if (!found.value().problem.empty()) throw Error("{}", found.value().problem);
    return std::move(found).value();
  }

  /// What points to the same weights.
  Manifest manifest_of(const ModelEntry& entry) const {
    if (entry.source == Source::own) {
      const auto name = ModelName::parse(entry.name);
      CHECK(name.ok(), "{}", entry.name);
      auto manifest = own_.get(name.value());
      if (!manifest) throw Error("{}", manifest.message());
      return std::move(manifest).value();
    }
    Manifest manifest;
    std::error_code error;
    manifest.path = fs::absolute(entry.path, error);
    if (error) throw Error("{}: {}", entry.path.string(), error.message());
    if (entry.projector.empty()) return manifest;
    manifest.projector_path = fs::absolute(entry.projector, error);
    if (error) throw Error("{}: {}", entry.projector.string(), error.message());
    return manifest;
  }

  /// The model and its projector. Where the projector is named first, their content tells.
  std::pair<std::string, std::string> told_apart(const NewModel& model) const {
    const bool turned = options_.allow_paths && !model.projector.empty() &&
                        is_projector_file(as_path(model.from)) &&
                        !is_projector_file(as_path(model.projector));
    if (turned) return {model.projector, model.from};
    return {model.from, model.projector};
  }

  /// The tower's file, in place of FROM's.
  void set_projector(Manifest& manifest, const std::string& projector) const {
    if (!options_.allow_paths) throw Error("the path of a projector cannot be given here");
    std::error_code error;
    const fs::path path = fs::absolute(as_path(projector), error);
    if (error || projector.find('\0') != std::string::npos || !is_file(path)) {
      throw Error("projector '{}': there is no such file", printable(projector, 300));
    }
    if (!is_projector_file(path)) {
      throw Error("{}: is no projector (a GGUF file with encoders and no text model)",
                  path.string());
    }
    manifest.projector_path = path;
    manifest.projector_blob.clear();
  }

  Manifest manifest_of_files(const std::vector<std::pair<std::string, std::string>>& files) const {
    Manifest manifest;
    for (const auto& [name, digest] : files) {
      if (const std::string problem = problem_of_file_name(name); !problem.empty()) {
        throw Error("files: {}", problem);
      }
      auto hex = digest_hex(digest);
      if (!hex) throw Error("files: {}: {}", name, hex.message());
      if (!is_file(blob_path(options_.own, hex.value()))) {
        throw Error("files: {}: there is no blob {}; send it first", name, digest);
      }
      if (is_gguf_file_name(name) && is_projector_file(blob_path(options_.own, hex.value()))) {
        if (!manifest.projector_blob.empty()) throw Error("files: there are two projectors");
        manifest.projector_blob = std::move(hex).value();
        continue;
      }
      if (!manifest.files.emplace(name, std::move(hex).value()).second) {
        throw Error("files: {} is given twice", name);
      }
    }
    if (manifest.files.empty()) throw Error("files: a projector alone is no model");
    if (manifest.files.size() == 1) {
      manifest.blob = manifest.files.begin()->second;
      manifest.files.clear();
    }
    return manifest;
  }

  ModelEntry find_own(const ModelName& name) {
    auto found = find(name.text());
    CHECK(found.ok(), "{}", found.message());
    return std::move(found).value();
  }

  CatalogOptions options_;
  OwnStore own_;
  DetailsCache details_;
};

Catalog::Catalog(CatalogOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Catalog::~Catalog() = default;

std::vector<ModelEntry> Catalog::list() const { return impl_->list(); }
bool Catalog::allows_paths() const { return impl_->allows_paths(); }
Result<ModelEntry> Catalog::find(const std::string& name) const { return impl_->find(name); }
ModelEntry Catalog::create(const NewModel& model) { return impl_->create(model); }
void Catalog::copy(const std::string& source, const std::string& destination) {
  impl_->copy(source, destination);
}
void Catalog::remove(const std::string& name) { impl_->remove(name); }
void Catalog::check_writable(const std::string& name) const { Impl::check_writable(name); }
std::string Catalog::install(const std::string& name, const Manifest& manifest,
                             const std::set<std::string>& arrived) {
  return impl_->install(name, manifest, arrived);
}

bool Catalog::has_blob(const std::string& digest) const {
  const auto hex = digest_hex(digest);
  if (!hex) throw Error("{}", hex.message());
  return !impl_->own_root().empty() && is_file(blob_path(impl_->own_root(), hex.value()));
}

Leftovers Catalog::remove_leftovers() { return store::remove_leftovers(impl_->own_root()); }

std::unique_ptr<Catalog::BlobWriter> Catalog::write_blob(const std::string& digest) {
  const auto hex = digest_hex(digest);
  if (!hex) throw Error("{}", hex.message());
  return make_blob_writer(impl_->own_root(), hex.value());
}

}  // namespace pleiad::store
