#include "apps/models/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kMaxName = 200;

struct Sum {
  std::uint64_t tensors = 0;
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;

  void add(const StoredTensor& tensor) {
    ++tensors;
    values += static_cast<std::uint64_t>(element_count(tensor.shape));
    bytes += tensor.data.size();
  }
};

/// Which part of the model a tensor belongs to, by our names.
std::string part_of(const StoredTensor& tensor) {
  if (tensor.role != TensorRole::text && tensor.role != TensorRole::scale) {
    return std::string(name(tensor.role));
  }
  if (tensor.role == TensorRole::scale) return "scales of weights";
  const std::string_view ours = tensor.name;
  if (ours == "embedding" || ours == "head") return "embedding and head";
  if (ours == "per_layer.embedding") return "table of per-layer inputs";
  if (ours.find("norm") != ours.npos || ours.ends_with("scale")) return "norms and scales";
  if (ours.find("per_layer") != ours.npos) return "projections of per-layer inputs";
  if (ours.find(".attention.") != ours.npos) return "attention";
  if (ours.find(".experts.") != ours.npos) return "experts";
  if (ours.find(".router.") != ours.npos) return "router";
  return "feed-forward";
}

/// "nvfp4_packed" where the file says "U8".
std::string stored_type(const StoredTensor& tensor) {
  if (tensor.dtype == DType::nvfp4_packed) return std::string(name(*tensor.dtype));
  return printable(tensor.type);
}

/// Sums by a text that each tensor has, largest first.
template <typename TextOf>
std::vector<std::pair<std::string, Sum>> sums_by(const StoredTensors& stored, TextOf text_of) {
  std::map<std::string, Sum> by_text;
  for (const StoredTensor& tensor : stored.tensors()) by_text[text_of(tensor)].add(tensor);
  std::vector<std::pair<std::string, Sum>> sums(by_text.begin(), by_text.end());
  std::ranges::stable_sort(
      sums, [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  return sums;
}

std::string sums_text(std::string_view title,
                      const std::vector<std::pair<std::string, Sum>>& sums) {
  std::string text =
      fmt::format("\n{:<32} {:>8} {:>16} {:>10}\n", title, "tensors", "values", "size");
  for (const auto& [what, sum] : sums) {
    text += fmt::format("{:<32} {:>8} {:>16} {:>10}\n", what, sum.tensors, format_count(sum.values),
                        format_bytes(sum.bytes));
  }
  return text;
}

Json sums_json(const std::vector<std::pair<std::string, Sum>>& sums) {
  Json json = Json::array();
  for (const auto& [what, sum] : sums) {
    json.push_back(
        {{"what", what}, {"tensors", sum.tensors}, {"values", sum.values}, {"bytes", sum.bytes}});
  }
  return json;
}

}  // namespace

std::string tensors_text(const StoredTensors& stored) {
  std::size_t ours_width = 4;
  std::size_t file_width = 12;
  for (const StoredTensor& tensor : stored.tensors()) {
    ours_width = std::max(ours_width, tensor.name.size());
    file_width = std::max(file_width, printable(tensor.file_name, kMaxName).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<12}  {:<22}  {:>10}\n", "name", ours_width,
                                 "in the file", file_width, "type", "shape", "size");
  for (const StoredTensor& tensor : stored.tensors()) {
    text += fmt::format("{:<{}}  {:<{}}  {:<12}  {:<22}  {:>10}\n",
                        tensor.name.empty() ? "-" : tensor.name, ours_width,
                        printable(tensor.file_name, kMaxName), file_width, stored_type(tensor),
                        to_string(tensor.shape), format_bytes(tensor.data.size()));
  }
  text += sums_text("by type", sums_by(stored, stored_type));
  text += sums_text("by part", sums_by(stored, part_of));
  text += fmt::format("\n{} tensors, {}\n", stored.tensors().size(),
                      format_bytes(stored.total_bytes()));
  return text;
}

std::string tensors_json(const StoredTensors& stored) {
  Json tensors = Json::array();
  for (const StoredTensor& tensor : stored.tensors()) {
    tensors.push_back({{"name", tensor.name.empty() ? Json() : Json(tensor.name)},
                       {"file_name", printable(tensor.file_name, kMaxName)},
                       {"type", stored_type(tensor)},
                       {"shape", tensor.shape},
                       {"bytes", tensor.data.size()},
                       {"role", name(tensor.role)},
                       {"part", part_of(tensor)}});
  }
  const Json json = {{"path", printable(stored.path().string(), 4096)},
                     {"format", stored.is_gguf() ? "gguf" : "safetensors"},
                     {"bytes", stored.total_bytes()},
                     {"by_type", sums_json(sums_by(stored, stored_type))},
                     {"by_part", sums_json(sums_by(stored, part_of))},
                     {"tensors", std::move(tensors)}};
  return to_text(json, 2) + "\n";
}

}  // namespace pleiad::apps
