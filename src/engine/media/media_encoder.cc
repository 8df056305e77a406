#include "engine/media/media_encoder.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/available_memory.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_changed_error.h"

namespace pleiad {
namespace {

constexpr std::size_t tower_place(MediaTower tower) { return static_cast<std::size_t>(tower); }

// A slice is cut into so many calls: what one costs is known when the next begins.
constexpr double kCallsOfASlice = 4;
// The first call of an encoding, and how fast they grow: attention makes the rows of a large
// picture dearer than those of the one before.
constexpr std::int64_t kFirstRows = 32;
constexpr std::int64_t kLeastRows = 8;
constexpr std::int64_t kGrowth = 2;

constexpr double kNewestSlice = 0.1;  // weight of a measurement below what is known

/// What an encoding needs is taken while it goes on, when it is too late to say no.
void check_room(std::uint64_t bytes) {
  if (bytes > available_memory()) throw NoMemoryError("no room for an encoding");
}

}  // namespace

void EncodeCosts::add(std::int64_t rows, double seconds) {
  const double now = seconds / static_cast<double>(rows);
  per_row_ = now > per_row_ ? now : per_row_ + kNewestSlice * (now - per_row_);
}

MediaEncoder::MediaEncoder(MediaTowers towers, std::uint64_t cache_bytes)
    : towers_(std::move(towers)), cache_(cache_bytes) {}

MediaEncoder::~MediaEncoder() = default;

MediaRows MediaEncoder::find(const Want& want) {
  return want.alone ? nullptr : cache_.find(want.key());
}

void MediaEncoder::drop() { current_.reset(); }

MediaEncoder::Progress MediaEncoder::advance(const Want& want, double seconds) {
  Progress progress;
  const double begun = monotonic_seconds();
  try {
    if (!current_ || !current_->want.is_same(want)) {
      current_.reset();  // its memory first
      current_ = Current{.want = want, .encoding = nullptr};
      current_->encoding = begin(want);
    }
    const double left = seconds - (monotonic_seconds() - begun);
    if (left > 0 && run(left)) {
      progress.rows = std::make_shared<const std::vector<float>>(current_->encoding->take());
    }
    progress.share = progress.rows ? 1 : current_->encoding->progress();
  } catch (const FileChangedError&) {
    current_.reset();
    throw;
  } catch (const NoMemoryError&) {
    progress.no_memory = true;
  } catch (const std::bad_alloc&) {
    progress.no_memory = true;
  } catch (const std::exception& error) {
    progress.failure = error.what();
  }
  if (progress.no_memory) progress.failure = "there is no memory to encode it";
  current_->seconds += monotonic_seconds() - begun;
  progress.seconds = current_->seconds;
  if (!progress.is_done()) return progress;
  if (progress.rows && !want.alone) cache_.keep(want.key(), progress.rows);
  current_.reset();
  return progress;
}

// Loads the tower where it is the first for it.
std::unique_ptr<MediaEncoding> MediaEncoder::begin(const Want& want) {
  std::uint64_t& tower_bytes = tower_bytes_[tower_place(want.tower())];
  if (want.sound) {
    AudioEncoder& tower = towers_.audio();
    tower_bytes = tower.info().weight_bytes;
    check_room(tower.encoding_bytes(std::ssize(want.sound->samples)));
    return tower.begin(*want.sound);
  }
  VisionEncoder& tower = towers_.vision();
  tower_bytes = tower.info().weight_bytes;
  const std::int64_t size = tower.info().patch_size;
  check_room(tower.encoding_bytes(want.picture->width / size * (want.picture->height / size)));
  return tower.begin(*want.picture);
}

// True once it is done.
bool MediaEncoder::run(double seconds) {
  const double begun = monotonic_seconds();
  EncodeCosts& costs = costs_[tower_place(current_->want.tower())];
  for (double before = begun;;) {
    const double affordable = costs.rows_within(seconds / kCallsOfASlice);
    std::int64_t& rows = current_->last_rows;
    const std::int64_t most = rows == 0 ? kFirstRows : rows * kGrowth;
    rows = std::clamp(static_cast<std::int64_t>(std::min(affordable, 1e9)), kLeastRows, most);
    const double share = current_->encoding->progress();
    if (current_->encoding->advance(rows)) return true;
    const double now = monotonic_seconds();
    // A part that only loaded some of the tower says nothing of what rows cost.
    if (current_->encoding->progress() > share) costs.add(rows, now - before);
    // Another call like this one has to end in time.
    if (now + (now - before) > begun + seconds) return false;
    before = now;
  }
}

}  // namespace pleiad
