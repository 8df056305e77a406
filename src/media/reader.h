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

namespace pleiad::media {

/// How this program is started as a helper, which then calls run_helper() (helper/run_helper.h).
struct HelperProgram {
  std::filesystem::path path;          // "/proc/self/exe"
  std::vector<std::string> arguments;  // those that make a helper of it: {"media-helper"}
};

/// What a picture may cost.
struct ReaderLimits {
  DecodeLimits decode;
  std::size_t max_bytes = std::size_t{64} << 20;        // of a file
  double seconds = 20;                                  // to read one, once its turn has come
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  // addresses of the process that reads it
  int max_processes = 4;     // that read at a time; further pictures wait for their turn
  double idle_seconds = 60;  // the process that is kept ready ends after so long without pictures
};

/// prepare_picture() in a process that can do nothing else: bytes go in, resized pixels come out.
/// A process reads one picture and is then ended, whatever came of it, so that one that a file took
/// over never sees the next picture; another one is kept ready meanwhile. docs/security.md says
/// what such a process may do.
///
/// Thread-safe. Nothing is started before the first picture or confinement(), whichever comes
/// first.
class PictureReader {
 public:
  PictureReader(HelperProgram program, ReaderLimits limits);
  ~PictureReader();  // no thread may be in prepare()
  PictureReader(const PictureReader&) = delete;
  PictureReader& operator=(const PictureReader&) = delete;

  /// Waits. A Failure is for whom the picture came from: what is wrong with it, that its decoder
  /// crashed, that it takes too long or too much memory; a sentence without its subject, such as
  /// "has 9,000 million pixels; at most 100 million are read". `stop` (may be empty) is asked
  /// several times a second; where it is true the picture is given up with a Failure.
  /// Throws Error where no process can be started or confined: then no picture is read at all.
  Result<PreparedPicture> prepare(std::span<const std::byte> bytes, const PictureOptions& options,
                                  const std::function<bool()>& stop = {});

  /// What confines the processes here, for whoever runs the program: "system calls, network,
  /// files, memory, time". Starts one where none has been started. Throws Error as prepare() does.
  std::string confinement();

 private:
  class Processes;
  ReaderLimits limits_;
  std::unique_ptr<Processes> processes_;
};

}  // namespace pleiad::media
