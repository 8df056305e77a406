#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"

namespace pleiad::constrain {

/// Forms by what they were made of, as long as all together fit into so many bytes; beyond it those
/// go, whenever one is asked for, that were used least lately, but never the last. May be used by
/// several threads.
///
/// Form::memory_bytes() may grow while the form is in use, and waits for nobody.
template <typename Form>
class KeptForms {
 public:
  using Made = Result<std::shared_ptr<Form>>;

  explicit KeptForms(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// `make() -> Made` is called outside the lock: two that want the same at once may both make it,
  /// and have the first one's.
  template <typename Make>
  Made find_or_make(std::string key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = find(key)) return known;
    }
    Made made = make();
    if (!made) return made;
    const std::lock_guard lock(mutex_);
    if (const auto known = find(key)) return known;
    kept_.push_front({std::move(key), made.value()});
    make_room();
    return made;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<Form> form;
  };

  /// The form, which is the last used then; null where it is not kept. Others may have grown since
  /// they were used.
  std::shared_ptr<Form> find(const std::string& key) {
    const auto known = std::ranges::find(kept_, key, &Kept::key);
    if (known == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, known);
    make_room();
    return kept_.front().form;
  }

  void make_room() {
    std::size_t bytes = 0;
    for (auto each = kept_.begin(); each != kept_.end(); ++each) {
      bytes += each->key.size() + each->form->memory_bytes();
      if (bytes <= most_bytes_ || each == kept_.begin()) continue;
      kept_.erase(each, kept_.end());
      return;
    }
  }

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // guarded by mutex_; the last used first
};

}  // namespace pleiad::constrain
