#include "store/model_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "store/gguf_file_name.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

bool has_name(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found && !error;
}

bool belongs_to_model(const fs::path& file, bool checkpoint) {
  if (!checkpoint) return file.extension() == ".gguf";
  return file.extension() == ".safetensors" || file.extension() == ".json";
}

}  // namespace

bool looks_like_checkpoint(const fs::path& folder) {
  return has_name(folder / "config.json") && (has_name(folder / "model.safetensors") ||
                                              has_name(folder / "model.safetensors.index.json"));
}

std::vector<fs::path> model_files(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(path, error)) {
    const bool checkpoint = looks_like_checkpoint(path);
    fs::directory_iterator entry(path, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (belongs_to_model(entry->path(), checkpoint)) files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
  }
  const std::string file_name = path.filename().string();
  if (!is_gguf_file_name(file_name)) return {path};
  const GgufFileName name = parse_gguf_file_name(file_name);
  constexpr int kMostParts = 1000;
  if (name.n_parts <= 1 || name.n_parts > kMostParts) return {path};
  for (int part = 1; part <= name.n_parts; ++part) {
    files.push_back(path.parent_path() /
                    fmt::format("{}-{:05}-of-{:05}.gguf", name.stem, part, name.n_parts));
  }
  return files;
}

namespace {

/// A line of a stamp.
std::string stamp_line(const fs::path& file, const struct stat& status) {
  return fmt::format("\n{} {} {}.{:09}", file.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

/// Which projector files lie beside a model decides whether it sees.
std::string stamp_of_projectors_beside(const fs::path& model) {
  std::string text;
  std::error_code error;
  if (fs::is_directory(model, error)) return text;  // all its files count anyway
  std::vector<fs::path> files;
  fs::directory_iterator entry(model.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_gguf_file_name(name) && parse_gguf_file_name(name).is_encoder) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) == 0) text += stamp_line(file, status);
  }
  return text;
}

}  // namespace

FilesStamp stamp_of(const fs::path& path, const fs::path& projector) {
  FilesStamp stamp;
  std::vector<fs::path> files = model_files(path);
  stamp.complete = !files.empty();
  stamp.text = path.string();
  if (!projector.empty()) files.push_back(projector);
  for (const fs::path& file : files) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0) {
      stamp.complete = false;
      stamp.text += fmt::format("\n{} is missing", file.string());
      continue;
    }
    if (S_ISREG(status.st_mode)) stamp.size_bytes += static_cast<std::uint64_t>(status.st_size);
    stamp.modified = std::max(stamp.modified, status.st_mtime);
    stamp.text += stamp_line(file, status);
  }
  if (projector.empty()) stamp.beside = stamp_of_projectors_beside(path);
  return stamp;
}

}  // namespace pleiad::store
