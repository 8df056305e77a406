#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace pleiad::serving {

struct PreparedMedia;

/// What was made of a part, by whichever of the answers to one request came to it first. Nobody
/// waits in here: who comes while it is made goes away and is called back.
class PreparedOnce {
 public:
  using Media = std::shared_ptr<const PreparedMedia>;

  /// What there is, or what went wrong, which is thrown. Null: not yet. Then either `is_mine`, and
  /// the caller makes it and calls finish(), fail() or give_up(); or another one does, and `again`
  /// is called once it has.
  struct Found {
    Media media;
    bool is_mine = false;
  };
  Found find(const std::function<void()>& again);

  void finish(Media media);
  /// For all who come, too.
  void fail(std::exception_ptr failure);
  /// The next one makes it.
  void give_up();

  /// Whether it is there.
  bool is_finished();
  /// Lets go of what a part of it (a clip) shows, for which nobody comes any more.
  void forget_part(std::size_t index);

 private:
  void end(Media media, std::exception_ptr failure);

  std::mutex mutex_;  // guards what follows
  bool is_being_made_ = false;
  Media media_;
  std::exception_ptr failure_;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace pleiad::serving
