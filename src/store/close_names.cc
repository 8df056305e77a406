#include "store/close_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ascii.h"

namespace pleiad::store {
namespace {

constexpr std::size_t kLongest = 256;  // longer ones are not compared
constexpr std::size_t kMostNames = 3;

/// Letters to add, drop or change.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view without_tag(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const bool is_tag =
      colon != std::string_view::npos && name.find('/', colon) == std::string_view::npos;
  return is_tag ? name.substr(0, colon) : name;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// 0: of the same model; more for what is less alike; nothing near: above all limits.
std::size_t distance(std::string_view wanted, std::string_view name) {
  const std::string_view model = without_tag(wanted);
  const std::string_view other = without_tag(name);
  if (model == other || model == last_part(other)) return 0;
  const std::size_t whole = edits(wanted, name);
  const std::size_t part = edits(model, last_part(other));
  if (last_part(other).starts_with(model) && model.size() > 2) return 1;
  return std::min(whole, part);
}

}  // namespace

std::vector<std::string> close_names(std::string_view wanted,
                                     const std::vector<std::string>& names) {
  if (wanted.empty() || wanted.size() > kLongest) return {};
  const std::string wanted_lower = ascii_lower(wanted);
  const std::size_t limit = std::max<std::size_t>(1, without_tag(wanted).size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t far = distance(wanted_lower, ascii_lower(name));
    if (far <= limit) near.emplace_back(far, name);
  }
  std::ranges::sort(near);
  std::vector<std::string> result;
  for (auto& [far, name] : near) {
    if (result.size() < kMostNames) result.push_back(std::move(name));
  }
  return result;
}

}  // namespace pleiad::store
