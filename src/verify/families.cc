#include "verify/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace pleiad::verify {
namespace {

constexpr std::size_t kFewMembers = 4;
constexpr double kUnlike = 1000;

/// "layers.#.mlp.up_proj.weight f32": what layers have in common. Another type may keep its factors
/// apart.
std::string family_of(const StoredTensor& tensor) {
  std::string family;
  for (const char c : tensor.file_name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      family += c;
    } else if (!family.ends_with('#')) {
      family += '#';
    }
  }
  return family + " " + tensor.type;
}

}  // namespace

void judge_families(const std::vector<StoredTensor>& tensors,
                    const std::vector<std::optional<double>>& typical,
                    std::vector<Finding>& findings) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (typical[i]) families[family_of(tensors[i])].push_back(i);
  }
  for (const auto& [name, members] : families) {
    if (members.size() < kFewMembers) continue;
    std::vector<double> sizes;
    for (const std::size_t member : members) sizes.push_back(*typical[member]);
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    for (const std::size_t member : members) {
      const double ratio = *typical[member] / *middle;
      if (ratio < kUnlike && ratio * kUnlike > 1) continue;
      const StoredTensor& tensor = tensors[member];
      const bool counts = tensor.role == TensorRole::text || tensor.role == TensorRole::scale;
      // What is tiny may have nothing to do; what is huge drowns all else.
      findings.push_back({ratio > 1 && counts ? Severity::wrong : Severity::suspicious,
                          Kind::unlike_layers,
                          tensor.file_name,
                          tensor.name,
                          1,
                          {},
                          fmt::format("is about {:.2g} times as large as in other layers", ratio)});
    }
  }
}

}  // namespace pleiad::verify
