// The media of running requests: encoded a slice at a time, between the steps of those that
// generate. A prompt waits while a picture or a clip that its next step would reach is not encoded.

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/file_changed_error.h"
#include "engine/compute_turn.h"
#include "engine/engine_loop.h"

namespace pleiad {
namespace {

// Of one step in which nobody streams: requests that come meanwhile wait no longer.
constexpr double kSliceAlone = 0.1;
// The same, while another engine has streams that wait for it.
constexpr double kSliceAmidOthers = 0.02;

}  // namespace

MediaEncoder::Want EngineLoop::want_of(const EngineJob& job, std::size_t index) const {
  MediaEncoder::Want want;
  want.scope = job.request.cache_scope;
  if (!job.request.use_cache) want.alone = job.id;
  want.picture = job.request.media[index].picture;
  want.sound = job.request.media[index].sound;
  return want;
}

void EngineLoop::note_cached(EngineJob& job, std::size_t index) {
  const MediaTower tower = job.request.media[index].tower();
  job.result.media[index].cached = true;
  ++job.result.stats.media.of(tower).cached;
  ++stats_.media.of(tower).cached;
}

// Those that stand on cached pages are done.
void EngineLoop::start_media(EngineJob& job) {
  auto& media = job.request.media;
  job.rows.resize(media.size());
  job.result.media.resize(media.size());
  for (; job.first_medium < media.size(); ++job.first_medium) {
    if (media[job.first_medium].end() > job.n_computed()) break;
    note_cached(job, job.first_medium);
    media[job.first_medium] = without_content(media[job.first_medium]);
  }
}

// Of those that the next step may reach, what was kept of them.
void EngineLoop::find_media(EngineJob& job) {
  const auto& media = job.request.media;
  for (std::size_t i = job.first_medium; i < media.size(); ++i) {
    if (media[i].first >= job.n_computed() + model_.info().max_rows) break;
    if (job.rows[i]) continue;
    const MediaRows rows = encoder_.find(want_of(job, i));
    if (!rows) continue;
    if (!give_rows(job, i, rows)) return;
    note_cached(job, i);
  }
}

bool EngineLoop::lacks_media(const EngineJob& job) const {
  const auto& media = job.request.media;
  for (std::size_t i = job.first_medium; i < media.size(); ++i) {
    if (media[i].first >= job.n_computed() + model_.info().max_rows) break;
    if (!job.rows[i]) return true;
  }
  return false;
}

// False where the job ends by it. Pixels and samples have done their part: others' may take their
// memory.
bool EngineLoop::give_rows(EngineJob& job, std::size_t index, const MediaRows& rows) {
  const std::int64_t places = job.request.media[index].n;
  if (std::ssize(*rows) != places * model_.info().model_dim) {
    job.fail(EngineFailure::Kind::bad_request,
             fmt::format("{} {}: the prompt has {} places for its {} soft tokens",
                         job.request.media[index].kind(), index, places,
                         std::ssize(*rows) / model_.info().model_dim));
    return false;
  }
  job.rows[index] = rows;
  job.request.media[index] = without_content(job.request.media[index]);
  return true;
}

std::vector<SoftRows> EngineLoop::soft_rows(const EngineJob& job, std::int64_t n) const {
  std::vector<SoftRows> soft;
  const auto& media = job.request.media;
  for (std::size_t i = job.first_medium; i < media.size(); ++i) {
    if (media[i].first >= job.n_computed() + n) break;
    if (const auto part = soft_rows_within(media[i], job.rows[i], job.n_computed(), n)) {
      soft.push_back(*part);
    }
  }
  return soft;
}

void EngineLoop::forget_passed_media(EngineJob& job) {
  const auto& media = job.request.media;
  for (; job.first_medium < media.size(); ++job.first_medium) {
    if (media[job.first_medium].end() > job.n_computed()) break;
    job.rows[job.first_medium].reset();
  }
}

// The one that was begun, while somebody wants it; else what the oldest request lacks.
std::optional<MediaEncoder::Want> EngineLoop::next_medium() {
  std::optional<MediaEncoder::Want> first;
  for (const auto& job : running_) {
    if (job->has_ended() || !job->in_prompt() || !lacks_media(*job)) continue;
    for (std::size_t i = job->first_medium; i < job->rows.size(); ++i) {
      if (job->rows[i]) continue;
      MediaEncoder::Want want = want_of(*job, i);
      if (encoder_.current() && encoder_.current()->is_same(want)) return want;
      if (!first) first = std::move(want);
    }
  }
  return first;
}

double EngineLoop::encode_seconds(std::int64_t n_streams, bool others_stream) const {
  if (n_streams > 0) return planner_.seconds_beside(n_streams);
  return others_stream ? kSliceAmidOthers : kSliceAlone;
}

void EngineLoop::encode(const Work& work) {
  if (model_changed_) return encoder_.drop();
  const std::optional<MediaEncoder::Want> want = next_medium();
  if (!want) return encoder_.drop();
  if (work.encode_seconds <= 0) return;
  std::unique_lock<ComputeTurn> turn;
  if (turn_) turn = std::unique_lock(*turn_);
  const double begun = monotonic_seconds();
  MediaEncoder::Progress progress;
  try {
    progress = encoder_.advance(*want, work.encode_seconds);
  } catch (const FileChangedError& error) {
    return give_up_model(error.what());
  }
  const double took = monotonic_seconds() - begun;
  for (const auto& job : running_) {
    if (job->has_ended()) continue;
    for (std::size_t i = job->first_medium; i < job->rows.size(); ++i) {
      if (!job->rows[i] && want_of(*job, i).is_same(*want)) job->begin(begun);
    }
  }
  stats_.media.of(want->tower()).seconds += took;
  if (!work.generated.empty()) {
    stats_.longest_encode_stall = std::max(stats_.longest_encode_stall, took);
  }
  if (progress.is_done()) hand_out(*want, progress);
}

// To everybody who wants it; it counts as encoded for the oldest of them.
void EngineLoop::hand_out(const MediaEncoder::Want& want, const MediaEncoder::Progress& progress) {
  bool is_first = true;
  for (const auto& job : running_) {
    for (std::size_t i = job->first_medium; i < job->rows.size() && !job->has_ended(); ++i) {
      if (job->rows[i] || !want_of(*job, i).is_same(want)) continue;
      if (progress.failure) {
        job->fail(
            progress.no_memory ? EngineFailure::Kind::out_of_memory : EngineFailure::Kind::internal,
            fmt::format("{} {}: {}", job->request.media[i].kind(), i, *progress.failure));
        continue;
      }
      if (!give_rows(*job, i, progress.rows)) break;
      if (is_first) {
        job->result.media[i].encode_seconds = progress.seconds;
        EncodeStats& of_job = job->result.stats.media.of(want.tower());
        of_job.seconds += progress.seconds;
        ++of_job.encoded;
        ++stats_.media.of(want.tower()).encoded;
      } else {
        note_cached(*job, i);
      }
      is_first = false;
    }
  }
}

}  // namespace pleiad
