// The rule of an array: which items may come next, given those that came.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "constrain/value_writer.h"

namespace pleiad::constrain {

class ArrayWriter {
 public:
  ArrayWriter(ValueWriter& writer, const ArrayForm& form)
      : writer_(writer), automaton_(writer.automaton()), form_(form), n_listed_(n_listed(form)) {}

  Rule write() {
    const StateId start = automaton_.add_state();
    const StateId open = automaton_.add_state();
    close_ = writer_.add_closing(']');
    automaton_.add_edge(start, '[', open);
    ItemProgress begin;
    begin.counts.resize(form_.wanted.size(), 0);
    if (may_close(begin)) writer_.add_blanks(open, close_);
    writer_.add_blanks(open, item(begin));
    while (!todo_.empty()) {
      const ItemProgress at = todo_.front();
      todo_.pop_front();
      add_items(at);
    }
    if (!form_.rest || n_listed_ >= form_.most) return {start};
    if (form_.distinct && !behind_.empty()) {
      automaton_.add_distinct({.start = start,
                               .place = items_.at(begin),
                               .behind = behind_.begin()->second,
                               .close = close_,
                               .item = form_.rest->front().value,
                               .least = form_.least});
    }
    // The counter stands for the items behind the first of the rest.
    const std::uint32_t n_before = n_listed_ + 1;
    return {start,
            {.need = form_.least > n_before ? form_.least - n_before : 0,
             .room = form_.most == kUnbounded ? kUnbounded : form_.most - n_before}};
  }

  /// How many places are written one by one: those of items with forms of their own, and all that
  /// bounds on items and on wanted ones decide on together.
  static std::uint32_t n_listed(const ArrayForm& form) {
    const auto n_first = static_cast<std::uint32_t>(form.first.size());
    if (form.wanted.empty()) return std::min(n_first, form.most);
    if (form.most != kUnbounded) return form.most;
    const bool is_bounded = std::ranges::any_of(
        form.wanted, [](const ArrayForm::Wanted& wanted) { return wanted.most != kUnbounded; });
    return is_bounded ? std::max(n_first, form.least) : n_first;
  }

 private:
  /// How far an array is.
  struct ItemProgress {
    std::uint32_t n = 0;                // items; no more than are listed
    std::vector<std::uint32_t> counts;  // of each of `wanted`, as far as it matters
    bool is_rest = false;               // items of the rest came

    auto operator<=>(const ItemProgress&) const = default;
  };

  bool may_close(const ItemProgress& at) const {
    if (!at.is_rest && at.n < form_.least) return false;
    for (std::size_t i = 0; i < at.counts.size(); ++i) {
      if (at.counts[i] < form_.wanted[i].least) return false;
    }
    return true;
  }

  /// The state where an item must come.
  StateId item(const ItemProgress& at) {
    ItemProgress place = at;
    place.is_rest = false;
    const auto [found, is_new] = items_.try_emplace(place, 0);
    if (is_new) {
      found->second = automaton_.add_state();
      todo_.push_back(place);
    }
    return found->second;
  }

  /// The state behind an item.
  StateId behind(const ItemProgress& at) {
    const auto [found, is_new] = behind_.try_emplace(at, 0);
    if (!is_new) return found->second;
    const StateId state = found->second = automaton_.add_state();
    if (at.n < form_.most) {
      const StateId comma = automaton_.add_state();
      automaton_.add_edge(state,
                          Edge{.first = ',', .last = ',', .counts = at.is_rest, .target = comma});
      writer_.add_blanks(comma, item(at));
    }
    if (may_close(at)) writer_.add_blanks(state, close_, at.is_rest);
    return state;
  }

  void add_items(const ItemProgress& at) {
    if (at.n >= form_.most) return;
    const StateId from = items_.at(at);
    ItemProgress next = at;
    if (at.n < n_listed_) {
      ++next.n;
    } else {
      next.is_rest = true;
    }
    const bool is_first = at.n < form_.first.size();
    if (!is_first && !form_.rest) return;
    for (const ItemForm& form : is_first ? form_.first[at.n] : *form_.rest) {
      if (automaton_.is_full()) return;
      ItemProgress with = next;
      if (count(form, with.counts)) automaton_.add_call(from, form.value, behind(with));
    }
  }

  /// False where such an item may not come, or another form of it does as well.
  bool count(const ItemForm& form, std::vector<std::uint32_t>& counts) const {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if ((form.counted >> i & 1) == 0) continue;
      const auto& [least, most, always] = form_.wanted[i];
      if (counts[i] == most) return false;
      if (most == kUnbounded && counts[i] == least) {
        if (!always) return false;
        continue;
      }
      ++counts[i];
    }
    return true;
  }

  ValueWriter& writer_;
  Automaton& automaton_;
  const ArrayForm& form_;
  std::uint32_t n_listed_;
  StateId close_ = 0;
  std::map<ItemProgress, StateId> items_, behind_;
  std::deque<ItemProgress> todo_;
};

Rule ValueWriter::array(const ArrayForm& form) { return ArrayWriter(*this, form).write(); }

std::size_t ArrayForm::n_ways() const {
  constexpr std::size_t kMany = std::size_t{1} << 30;  // its square fits
  std::size_t n = std::min(kMany, std::size_t{ArrayWriter::n_listed(*this)} + 1);
  for (const Wanted& each : wanted) {
    const std::size_t n_counts = std::size_t{each.most == kUnbounded ? each.least : each.most} + 1;
    n = std::min(kMany, 2 * n * std::min(kMany, n_counts));
  }
  return n;
}

}  // namespace pleiad::constrain
