#include "media/reader.h"

#include <cmath>
#include <type_traits>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "media/helper/helper_pool.h"

namespace pleiad::media {
namespace {

/// A process starts within milliseconds; on a machine that is out of breath it may take longer.
constexpr double kStartSeconds = 30;

/// Time on the clock ends a file; that of the processor counts where this program is gone.
HelperLimits limits_of_helper(const ReaderLimits& limits, double seconds) {
  return {limits.memory_bytes, static_cast<std::uint64_t>(std::ceil(seconds)) + 1};
}

HelperPool::Limits limits_of_helpers(const ReaderLimits& limits) {
  HelperPool::Limits all;
  all[static_cast<std::size_t>(HelperKind::picture)] = limits_of_helper(limits, limits.seconds);
  all[static_cast<std::size_t>(HelperKind::stream)] =
      limits_of_helper(limits, limits.stream_seconds);
  return all;
}

Patience patience_of(double seconds, const std::function<bool()>& stop) {
  return {monotonic_seconds() + seconds, stop};
}

}  // namespace

class MediaReader::Processes : public HelperPool {
 public:
  using HelperPool::HelperPool;
};

MediaReader::MediaReader(HelperProgram program, ReaderLimits limits)
    : limits_(limits),
      processes_(std::make_unique<Processes>(std::move(program), limits_of_helpers(limits),
                                             limits.max_processes, limits.idle_seconds)) {}

MediaReader::~MediaReader() = default;

template <typename Prepared, typename Options, typename Limits>
Result<Prepared> MediaReader::read(std::span<const std::byte> bytes, const Options& options,
                                   const Limits& limits, const std::function<bool()>& stop) {
  constexpr bool kIsPicture = std::is_same_v<Prepared, PreparedPicture>;
  const std::size_t most = kIsPicture ? limits_.max_bytes : limits_.max_stream_bytes;
  const double seconds = kIsPicture ? limits_.seconds : limits_.stream_seconds;
  if (bytes.empty()) return Failure{"is empty"};
  if (bytes.size() > most) {
    return Failure{
        fmt::format("has {}; at most {} are read", format_bytes(bytes.size()), format_bytes(most))};
  }
  const auto process =
      processes_->take(kIsPicture ? HelperKind::picture : HelperKind::stream, stop);
  if (!process) return Failure{"was given up"};
  const auto ready = (*process)->await_ready(patience_of(kStartSeconds, stop));
  if (!ready) return Failure{ready.message()};
  processes_->note(ready.value());
  return (*process)->read(bytes, options, limits, patience_of(seconds, stop), seconds);
}

Result<PreparedPicture> MediaReader::prepare_picture(std::span<const std::byte> bytes,
                                                     const PictureOptions& options,
                                                     const std::function<bool()>& stop) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
  return read<PreparedPicture>(bytes, options, limits_.decode, stop);
}

Result<PreparedSound> MediaReader::prepare_sound(std::span<const std::byte> bytes,
                                                 const SoundOptions& options,
                                                 const std::function<bool()>& stop) {
  return read<PreparedSound>(bytes, options, limits_.sound, stop);
}

Result<PreparedVideo> MediaReader::prepare_video(std::span<const std::byte> bytes,
                                                 const VideoOptions& options,
                                                 const std::function<bool()>& stop) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
  return read<PreparedVideo>(bytes, options, limits_.video, stop);
}

std::string MediaReader::confinement() {
  if (const auto known = processes_->confinement()) return known->text();
  const auto process = processes_->take(HelperKind::picture, {});
  const Confinement found = (*process)->await_ready(patience_of(kStartSeconds, {})).value();
  processes_->note(found);
  return found.text();
}

}  // namespace pleiad::media
