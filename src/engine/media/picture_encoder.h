#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/media/encoding_cache.h"
#include "engine/media/prompt_media.h"
#include "model/vision_encoder.h"

namespace pleiad {

/// What slices of an encoding cost, learnt while they run.
class EncodeCosts {
 public:
  /// A slice of so many rows (see MediaEncoding::advance) took so long.
  void add(std::int64_t rows, double seconds);
  /// How many rows go into `seconds`, going by the dearer ones; 0 while nothing has run.
  double rows_within(double seconds) const { return per_row_ > 0 ? seconds / per_row_ : 0; }

 private:
  double per_row_ = 0;
};

/// Turns pictures into soft rows, one after the other and a slice at a time, so that whoever
/// calls can do other things between two slices. What it has made is kept for the next prompt
/// that shows the picture. For one thread, that of the model.
class PictureEncoder {
 public:
  /// The tower, loaded when this is first called. Throws where it cannot be had.
  using Tower = std::function<VisionEncoder&()>;

  PictureEncoder(Tower tower, std::uint64_t cache_bytes);
  ~PictureEncoder();

  /// Who wants a picture: requests of a scope together, or one that shares nothing with any other.
  struct Want {
    CacheScope scope = CacheScope::common;
    std::optional<std::uint64_t> alone;  // the request
    std::shared_ptr<const PictureInput> picture;

    bool is_same(const Want& other) const {
      return scope == other.scope && alone == other.alone &&
             picture->digest == other.picture->digest;
    }
  };

  /// What was kept of it; null where nothing was, and for one that shares nothing.
  PictureRows find(const Want& want);

  /// The picture that is being encoded, if one is.
  const Want* current() const { return current_ ? &current_->want : nullptr; }
  /// Gives it up.
  void drop();

  /// How a picture came out; neither rows nor failure: there is more to do.
  struct Progress {
    PictureRows rows;
    std::optional<std::string> failure;
    bool no_memory = false;  // why it failed
    double seconds = 0;      // of all its slices
    double share = 0;        // of the picture that is done, 0 to 1

    bool is_done() const { return rows || failure; }
  };
  /// Computes about so many seconds of a picture (which takes the place of another one that is
  /// current), at least a little. What fails is given up. Throws FileChangedError.
  Progress advance(const Want& want, double seconds);

  /// What the tower takes; 0 before it is loaded.
  std::uint64_t tower_bytes() const { return tower_bytes_; }

  void clear_cache() { cache_.clear(); }
  const EncodingCache& cache() const { return cache_; }

 private:
  struct Current {
    Want want;
    std::unique_ptr<MediaEncoding> encoding;
    std::int64_t last_rows = 0;
    double seconds = 0;
  };
  bool run(double seconds);

  Tower tower_;
  EncodingCache cache_;
  EncodeCosts costs_;
  std::uint64_t tower_bytes_ = 0;
  std::optional<Current> current_;
};

}  // namespace pleiad
