#include "pull/hugging_face/folder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text_format.h"
#include "formats/safetensors/folder.h"
#include "pull/hugging_face/name_list.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kSingle = "model.safetensors";
constexpr std::string_view kShardIndex = "model.safetensors.index.json";
constexpr std::uint64_t kLargestIndex = std::uint64_t{16} << 20;
constexpr std::uint64_t kLargestSideFile = std::uint64_t{256} << 20;

bool is_at_top(const HubFile& file) { return file.path.find('/') == std::string::npos; }

/// Weights, of this or another form.
bool is_weights(std::string_view path) {
  constexpr std::array kEndings = {
      ".safetensors", ".bin",  ".pt",     ".pth",  ".ckpt",     ".h5",  ".onnx",      ".onnx_data",
      ".msgpack",     ".gguf", ".tflite", ".task", ".litertlm", ".npz", ".index.json"};
  const std::string lower = ascii_lower(path);
  return std::ranges::any_of(kEndings, [&](const char* ending) { return lower.ends_with(ending); });
}

/// What tells how a model is used.
bool is_side_file(const HubFile& file) {
  constexpr std::array kEndings = {".json", ".jinja", ".model", ".txt"};
  constexpr std::array kStarts = {"LICENSE", "NOTICE", "license", "notice"};
  constexpr std::string_view kTemplates = "additional_chat_templates/";
  if (is_weights(file.path)) return false;
  if (file.path.starts_with(kTemplates) && file.path.ends_with(".jinja")) return true;
  if (!is_at_top(file) || file.path.starts_with('.')) return false;
  return std::ranges::any_of(kEndings,
                             [&](const char* ending) { return file.path.ends_with(ending); }) ||
         std::ranges::any_of(kStarts,
                             [&](const char* start) { return file.path.starts_with(start); });
}

/// The files with the weights, and before them their index. A Failure is a sentence without its
/// subject.
Result<std::vector<HubFile>> weights_of(const std::vector<HubFile>& files, const ReadFile& read) {
  if (const HubFile* single = find_file(files, kSingle)) return std::vector{*single};
  const HubFile* index = find_file(files, kShardIndex);
  if (index == nullptr) return Failure{fmt::format("has neither {} nor {}", kSingle, kShardIndex)};
  if (index->size > kLargestIndex) {
    return Failure{fmt::format("has a {} of {}, {} at most", kShardIndex, format_bytes(index->size),
                               format_bytes(kLargestIndex))};
  }
  const auto text = read(*index);
  if (!text) return Failure{fmt::format("has an index that cannot be read: {}", text.message())};
  std::vector<HubFile> weights = {*index};
  try {
    for (const std::string& shard :
         safetensors::parse_shard_index(text.value(), std::string(kShardIndex)).shards) {
      const HubFile* file = find_file(files, shard);
      if (file == nullptr) {
        return Failure{
            fmt::format("lacks {}, which its {} names", printable(shard, 200), kShardIndex)};
      }
      weights.push_back(*file);
    }
  } catch (const LoadError& error) {
    return Failure{fmt::format("has an index that cannot be used: {}", error.what())};
  }
  return weights;
}

/// What might be missed.
std::vector<std::string> left_out_of(const std::vector<HubFile>& files,
                                     const std::vector<HubFile>& taken) {
  std::set<std::string_view> taken_paths, seen;
  for (const HubFile& file : taken) taken_paths.insert(file.path);
  std::vector<std::string> weights, below, too_large;
  for (const HubFile& file : files) {
    if (taken_paths.contains(file.path)) continue;
    if (!is_at_top(file)) {
      const auto folder = std::string_view(file.path).substr(0, file.path.find('/') + 1);
      if (seen.insert(folder).second) below.emplace_back(folder);
    } else if (is_weights(file.path)) {
      weights.push_back(file.path);
    } else if (is_side_file(file)) {
      too_large.push_back(file.path);
    }
  }
  std::vector<std::string> left_out;
  if (!weights.empty()) {
    left_out.push_back(name_list(weights) + ": weights that are not of this folder's safetensors");
  }
  if (!below.empty()) left_out.push_back(name_list(below) + ": folders that no model is read from");
  if (!too_large.empty()) {
    left_out.push_back(fmt::format("{}: more than {}, which no configuration is",
                                   name_list(too_large), format_bytes(kLargestSideFile)));
  }
  return left_out;
}

}  // namespace

bool has_folder(const std::vector<HubFile>& files) {
  return find_file(files, kConfig) != nullptr &&
         (find_file(files, kSingle) != nullptr || find_file(files, kShardIndex) != nullptr);
}

Result<Choice> choose_folder(const std::vector<HubFile>& files, const ReadFile& read) {
  const HubFile* config = find_file(files, kConfig);
  if (config == nullptr || !has_folder(files)) {
    std::vector<std::string> weights;
    for (const HubFile& file : files) {
      if (is_weights(file.path)) weights.push_back(file.path);
    }
    return Failure{fmt::format(
        "has no model that Pleiad reads: expected GGUF files, or {} with {} or {}; {}", kConfig,
        kSingle, kShardIndex,
        weights.empty() ? "it has no weights" : "its weights are " + name_list(weights))};
  }
  auto weights = weights_of(files, read);
  if (!weights) return Failure{weights.message()};
  Choice choice;
  choice.selector = "safetensors";
  for (const HubFile& file : files) {
    if (file.path != kConfig && is_side_file(file) && file.size <= kLargestSideFile) {
      choice.files.push_back(file);
    }
  }
  choice.files.insert(choice.files.end(), weights.value().begin(), weights.value().end());
  // A folder without it is none.
  choice.files.push_back(*config);
  choice.left_out = left_out_of(files, choice.files);
  return choice;
}

}  // namespace pleiad::pull::hugging_face
