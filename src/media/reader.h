#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/decode.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"

namespace pleiad::media {

/// How this program is started as a helper, which then calls run_helper() (helper/run_helper.h).
struct HelperProgram {
  std::filesystem::path path;          // "/proc/self/exe"
  std::vector<std::string> arguments;  // those that make a helper of it: {"media-helper"}
};

/// What a picture, a sound or a video may cost.
struct ReaderLimits {
  DecodeLimits decode;
  SoundLimits sound;
  VideoLimits video;
  std::size_t max_bytes = std::size_t{64} << 20;          // of a picture's file
  std::size_t max_stream_bytes = std::size_t{512} << 20;  // of that of a sound or a video
  double seconds = 20;                                  // to read a picture, once its turn has come
  double stream_seconds = 60;                           // to read a sound or a video
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  // addresses of the process that reads one
  int max_processes = 4;     // that read at a time; further files wait for their turn
  double idle_seconds = 60;  // processes that are kept ready end after so long without files
};

/// prepare_picture(), prepare_sound() and prepare_video() in a process that can do nothing else:
/// bytes go in, resized pixels and samples come out. A process reads one file and is then ended,
/// whatever came of it, so that one that a file took over never sees the next file; another one is
/// kept ready meanwhile. docs/security.md says what such a process may do.
///
/// Thread-safe. Nothing is started before the first file or confinement(), whichever comes first.
class MediaReader {
 public:
  MediaReader(HelperProgram program, ReaderLimits limits);
  ~MediaReader();  // no thread may be in one of the functions below
  MediaReader(const MediaReader&) = delete;
  MediaReader& operator=(const MediaReader&) = delete;

  /// Waits. A Failure is for whom the file came from: what is wrong with it, that its decoder
  /// crashed, that it takes too long or too much memory; a sentence without its subject, such as
  /// "has 9,000 million pixels; at most 100 million are read". `stop` (may be empty) is asked
  /// several times a second; where it is true the file is given up with a Failure.
  /// Throws Error where no process can be started or confined: then no file is read at all.
  Result<PreparedPicture> prepare_picture(std::span<const std::byte> bytes,
                                          const PictureOptions& options,
                                          const std::function<bool()>& stop = {});
  /// The same for a sound, or for the sound track of a video.
  Result<PreparedSound> prepare_sound(std::span<const std::byte> bytes, const SoundOptions& options,
                                      const std::function<bool()>& stop = {});
  /// The same for a video.
  Result<PreparedVideo> prepare_video(std::span<const std::byte> bytes, const VideoOptions& options,
                                      const std::function<bool()>& stop = {});

  /// What confines the processes here, for whoever runs the program: "system calls, network,
  /// files, memory, time". Starts one where none has been started. Throws Error as the others do.
  std::string confinement();

 private:
  class Processes;
  template <typename Prepared, typename Options, typename Limits>
  Result<Prepared> read(std::span<const std::byte> bytes, const Options& options,
                        const Limits& limits, const std::function<bool()>& stop);

  ReaderLimits limits_;
  std::unique_ptr<Processes> processes_;
};

}  // namespace pleiad::media
