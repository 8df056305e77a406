#include "api/common/request_notes.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/request_error.h"

namespace pleiad::api {
namespace {

/// "messages[12].foo" as "messages[].foo".
std::string without_indexes(std::string_view path) {
  std::string kind;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) kind += c;
    if (c == '[') inside = true;
  }
  return kind;
}

}  // namespace

void RequestNotes::add(const std::string& kind, std::string text) {
  if (const auto found = kinds_.find(kind); found != kinds_.end()) {
    ++found->second.count;
  } else if (kinds_.size() == kMost) {
    ++n_more_;
  } else {
    kinds_.emplace(kind, Kind{.place = warnings_.size(), .count = 1});
    warnings_.push_back(std::move(text));
  }
}

void RequestNotes::unknown(const FieldReader& fields) {
  for (const std::string& path : fields.unknown()) unknown(path);
}

void RequestNotes::unknown(const std::string& path) {
  if (spare_ == SpareFields::refuse) {
    throw RequestError(path, "unknown parameter", "unknown_parameter");
  }
  add(without_indexes(path), fmt::format("unknown field: {}", path));
}

void RequestNotes::without_effect(FieldReader& fields, std::string_view key, std::string_view why) {
  if (fields.has(key)) left_out(fields.path_of(key), why);
}

void RequestNotes::left_out(const std::string& path, std::string_view why) {
  if (spare_ == SpareFields::refuse) {
    throw RequestError(path, fmt::format("not supported: {}", why), "unsupported_parameter");
  }
  add(without_indexes(path), fmt::format("{} has no effect: {}", path, why));
}

void RequestNotes::told(const std::string& path, std::string_view what) {
  add(fmt::format("{}: {}", without_indexes(path), what), fmt::format("{}: {}", path, what));
}

std::vector<std::string> RequestNotes::take() {
  for (const auto& [kind, told] : kinds_) {
    if (told.count > 1) {
      warnings_[told.place] += fmt::format(" (and {} more of this kind)", told.count - 1);
    }
  }
  if (n_more_ > 0) warnings_.push_back(fmt::format("and {} more of other kinds", n_more_));
  kinds_.clear();
  n_more_ = 0;
  return std::exchange(warnings_, {});
}

}  // namespace pleiad::api
