#include "media/reader.h"

#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "media/helper/helper_pool.h"

namespace pleiad::media {
namespace {

/// A process starts within milliseconds; on a machine that is out of breath it may take longer.
constexpr double kStartSeconds = 30;

/// Time on the clock ends a picture; that of the processor counts where this program is gone.
HelperLimits limits_of_helper(const ReaderLimits& limits) {
  return {limits.memory_bytes, static_cast<std::uint64_t>(std::ceil(limits.seconds)) + 1};
}

Patience patience_of(double seconds, const std::function<bool()>& stop) {
  return {monotonic_seconds() + seconds, stop};
}

}  // namespace

class PictureReader::Processes : public HelperPool {
 public:
  using HelperPool::HelperPool;
};

PictureReader::PictureReader(HelperProgram program, ReaderLimits limits)
    : limits_(limits),
      processes_(std::make_unique<Processes>(std::move(program), limits_of_helper(limits),
                                             limits.max_processes, limits.idle_seconds)) {}

PictureReader::~PictureReader() = default;

Result<PreparedPicture> PictureReader::prepare(std::span<const std::byte> bytes,
                                               const PictureOptions& options,
                                               const std::function<bool()>& stop) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
  if (bytes.empty()) return Failure{"is empty"};
  if (bytes.size() > limits_.max_bytes) {
    return Failure{fmt::format("has {}; at most {} are read", format_bytes(bytes.size()),
                               format_bytes(limits_.max_bytes))};
  }
  const auto process = processes_->take(stop);
  if (!process) return Failure{"was given up"};
  const auto ready = (*process)->await_ready(patience_of(kStartSeconds, stop));
  if (!ready) return Failure{ready.message()};
  processes_->note(ready.value());
  return (*process)->read(bytes, options, limits_.decode, patience_of(limits_.seconds, stop),
                          limits_.seconds);
}

std::string PictureReader::confinement() {
  if (const auto known = processes_->confinement()) return known->text();
  const auto process = processes_->take({});
  const Confinement found = (*process)->await_ready(patience_of(kStartSeconds, {})).value();
  processes_->note(found);
  return found.text();
}

}  // namespace pleiad::media
