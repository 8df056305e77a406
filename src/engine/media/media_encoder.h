#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/media/encoding_cache.h"
#include "engine/media/media_towers.h"
#include "engine/media/prompt_media.h"

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

/// Turns pictures and clips of sound into soft rows, one after the other and a slice at a time, so
/// that whoever calls can do other things between two slices. What it has made is kept for the
/// next prompt that has the same. For one thread, that of the model.
class MediaEncoder {
 public:
  MediaEncoder(MediaTowers towers, std::uint64_t cache_bytes);
  ~MediaEncoder();

  /// Who wants what: requests of a scope together, or one that shares nothing with any other.
  struct Want {
    CacheScope scope = CacheScope::common;
    std::optional<std::uint64_t> alone;  // the request
    // One of both.
    std::shared_ptr<const PictureInput> picture = nullptr;
    std::shared_ptr<const SoundInput> sound = nullptr;

    MediaTower tower() const { return sound ? MediaTower::audio : MediaTower::vision; }
    EncodingKey key() const { return {scope, {tower(), sound ? sound->digest : picture->digest}}; }
    bool is_same(const Want& other) const { return alone == other.alone && key() == other.key(); }
  };

  /// What was kept of it; null where nothing was, and for one that shares nothing.
  MediaRows find(const Want& want);

  /// What is being encoded, if something is.
  const Want* current() const { return current_ ? &current_->want : nullptr; }
  /// Gives it up.
  void drop();

  /// How an encoding came out; neither rows nor failure: there is more to do.
  struct Progress {
    MediaRows rows;
    std::optional<std::string> failure;
    bool no_memory = false;  // why it failed
    double seconds = 0;      // of all its slices
    double share = 0;        // of the medium that is done, 0 to 1

    bool is_done() const { return rows || failure; }
  };
  /// Computes about so many seconds of an encoding (which takes the place of another one that is
  /// current), at least a little. What fails is given up. Throws FileChangedError.
  Progress advance(const Want& want, double seconds);

  /// What the towers take; one counts once it is loaded.
  std::uint64_t tower_bytes() const { return tower_bytes_[0] + tower_bytes_[1]; }

  void clear_cache() { cache_.clear(); }
  const EncodingCache& cache() const { return cache_; }

 private:
  struct Current {
    Want want;
    std::unique_ptr<MediaEncoding> encoding;
    std::int64_t last_rows = 0;
    double seconds = 0;
  };
  std::unique_ptr<MediaEncoding> begin(const Want& want);
  bool run(double seconds);

  MediaTowers towers_;
  EncodingCache cache_;
  // By MediaTower.
  std::array<EncodeCosts, 2> costs_;
  std::array<std::uint64_t, 2> tower_bytes_ = {};
  std::optional<Current> current_;
};

}  // namespace pleiad
