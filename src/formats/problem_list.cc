#include "formats/problem_list.h"

#include "base/error.h"

namespace pleiad {
namespace {

// More than this is no help, and a damaged file could name a million.
constexpr std::size_t kShown = 20;

}  // namespace

void ProblemList::add_text(std::string text) {
  ++count_;
  if (shown_.size() < kShown) shown_.push_back(std::move(text));
}

void ProblemList::add_error(std::string_view what) {
  const std::string prefix = file_ + ": ";
  if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
  add_text(std::string(what));
}

std::string ProblemList::message() const {
  if (count_ == 1) return fmt::format("{}: {}", file_, shown_[0]);
  std::string text = fmt::format("{}: {} problems:", file_, count_);
  for (const std::string& problem : shown_) text += "\n  - " + problem;
  if (count_ > shown_.size()) text += fmt::format("\n  ... and {} more", count_ - shown_.size());
  return text;
}

void ProblemList::throw_if_any() const {
  if (!empty()) throw LoadError(message());
}

}  // namespace pleiad
