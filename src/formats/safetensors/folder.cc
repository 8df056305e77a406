#include "formats/safetensors/folder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file_status.h"
#include "base/text_format.h"
#include "formats/bounded_json.h"
#include "formats/not_a_model.h"
#include "formats/problem_list.h"

namespace pleiad::safetensors {
namespace {

constexpr std::string_view kSingle = "model.safetensors";
constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::size_t kMaxIndexSize = 16 << 20;

/// A relative path whose every component is a plain name.
bool stays_inside(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) return false;
  const std::filesystem::path path(name);
  if (path.has_root_path()) return false;  // on Windows "/a" and "C:a" are not absolute
  return std::ranges::none_of(path, [](const std::filesystem::path& component) {
    return component.empty() || component == "." || component == "..";
  });
}

/// "1 shard-file.safetensors without an index" and the like.
[[noreturn]] void report_no_model(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".safetensors") {
      throw LoadError("{}: has {}, but neither {} nor {}", folder.string(),
                      entry.path().filename().string(), kSingle, kIndex);
    }
  }
  throw LoadError("{}: has neither {} nor {}", folder.string(), kSingle, kIndex);
}

}  // namespace

ShardIndex parse_shard_index(std::string_view json, const std::string& file) {
  const BoundedJson root = parse_bounded_json(json, file);
  if (!root.is_object() || !root.contains("weight_map") || !root["weight_map"].is_object()) {
    throw LoadError("{}: expected an object with a 'weight_map'", file);
  }
  ShardIndex index;
  ProblemList problems(file);
  for (const auto& [tensor, shard] : root["weight_map"].items()) {
    if (!shard.is_string()) {
      problems.add("weight_map['{}']: expected the name of a file", printable(tensor));
      continue;
    }
    const auto& name = shard.get_ref<const std::string&>();
    if (!stays_inside(name)) {
      problems.add("weight_map['{}']: '{}' is not a file inside the folder", printable(tensor),
                   printable(name));
      continue;
    }
    index.entries.push_back({tensor, name});
    index.shards.push_back(name);
  }
  problems.throw_if_any();
  std::ranges::sort(index.shards);
  index.shards.erase(std::unique(index.shards.begin(), index.shards.end()), index.shards.end());
  return index;
}

bool Folder::looks_like_one(const std::filesystem::path& path) {
  return is_there(path / kSingle) || is_there(path / kIndex);
}

Folder Folder::open(const std::filesystem::path& path) {
  Folder folder;
  folder.path_ = path;
  ProblemList problems(path.string());
  ShardIndex index;
  if (is_there(path / kSingle)) {
    folder.files_.push_back(File::open(path / kSingle));
  } else if (is_there(path / kIndex)) {
    const MappedFile mapped(path / kIndex);
    const std::string name = (path / kIndex).string();
    index = read_unchanged(mapped, [&] {
      refuse_what_is_no_model(mapped.bytes(), name);
      if (mapped.bytes().size() > kMaxIndexSize) {
        throw LoadError("{}: {} bytes are too many for an index", name, mapped.bytes().size());
      }
      return parse_shard_index(
          {reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()}, name);
    });
    for (const std::string& shard : index.shards) {
      if (!is_there(path / shard)) {
        problems.add("the index lists {}, which is missing", printable(shard));
        continue;
      }
      try {
        folder.files_.push_back(File::open(path / shard));
      } catch (const LoadError& error) {
        problems.add("{}", error.what());
      }
    }
    problems.throw_if_any();
  } else {
    report_no_model(path);
  }

  for (const File& file : folder.files_) {
    for (const TensorInfo& tensor : file.tensors()) {
      if (!folder.by_name_.emplace(tensor.name, &tensor).second) {
        problems.add("tensor '{}' is in two shards", printable(tensor.name));
      }
    }
  }
  for (const ShardIndex::Entry& entry : index.entries) {
    if (!folder.by_name_.contains(entry.tensor)) {
      problems.add("the index says that tensor '{}' is in {}, but it is not there",
                   printable(entry.tensor), printable(entry.shard));
    }
  }
  problems.throw_if_any();
  return folder;
}

void Folder::check_unchanged() const {
  for (const File& file : files_) file.check_unchanged();
}

const TensorInfo* Folder::find_tensor(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace pleiad::safetensors
