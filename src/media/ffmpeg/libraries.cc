#include "media/ffmpeg/libraries.h"

#include <dlfcn.h>

#include <cerrno>
#include <new>
#include <optional>
#include <string>

#include "base/text_format.h"
#include "media/ffmpeg/api.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

/// Larger pieces of memory are refused: no frame and no packet of a file that is read has as much.
constexpr std::size_t kMostMemoryAtATime = std::size_t{1} << 29;

/// For the life of the process: what is loaded has threads' destructors and tables of its own.
class Library {
 public:
  explicit Library(const std::string& name)
      : name_(name), handle_(::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const char* const why = ::dlerror();
    throw BadStream("needs {}, which cannot be loaded on this machine: {}", name_,
                    printable(why == nullptr ? "" : why, 200));
  }

  template <typename Function>
  void find(const char* function, Function& into) const {
    into = reinterpret_cast<Function>(::dlsym(handle_, function));
    if (into == nullptr) throw BadStream("needs {} of {}, which is not there", function, name_);
  }

 private:
  std::string name_;
  void* handle_;
};

/// Of FFmpeg's libraries the number counts as what the program was compiled for.
std::string ffmpeg_library(const char* name, unsigned major) {
  return fmt::format("lib{}.so.{}", name, major);
}

StreamLibraries load() {
  StreamLibraries all;
#define PLEIAD_FIND(name) library.find(#name, all.name);
  {
    const Library library(ffmpeg_library("avutil", LIBAVUTIL_VERSION_MAJOR));
    PLEIAD_AVUTIL_FUNCTIONS(PLEIAD_FIND)
  }
  {
    const Library library(ffmpeg_library("avcodec", LIBAVCODEC_VERSION_MAJOR));
    PLEIAD_AVCODEC_FUNCTIONS(PLEIAD_FIND)
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    PLEIAD_SIDE_DATA_FUNCTION(PLEIAD_FIND)
#endif
  }
  {
    const Library library(ffmpeg_library("avformat", LIBAVFORMAT_VERSION_MAJOR));
    PLEIAD_AVFORMAT_FUNCTIONS(PLEIAD_FIND)
#if LIBAVFORMAT_VERSION_MAJOR < 61
    PLEIAD_SIDE_DATA_FUNCTION(PLEIAD_FIND)
#endif
  }
  {
    const Library library(ffmpeg_library("swscale", LIBSWSCALE_VERSION_MAJOR));
    PLEIAD_SWSCALE_FUNCTIONS(PLEIAD_FIND)
  }
  {
    const Library library("libsoxr.so.0");
    PLEIAD_SOXR_FUNCTIONS(PLEIAD_FIND)
  }
#undef PLEIAD_FIND
  all.av_log_set_level(AV_LOG_QUIET);
  all.av_max_alloc(kMostMemoryAtATime);
  return all;
}

}  // namespace

const StreamLibraries& stream_libraries() {
  static const StreamLibraries all = load();
  return all;
}

std::string ffmpeg_error(const StreamLibraries& av, int error) {
  if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av.av_strerror(error, text, sizeof text);
  return printable(text);
}

PacketPointer make_packet() {
  PacketPointer packet(stream_libraries().av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

FramePointer make_frame() {
  FramePointer frame(stream_libraries().av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

void load_stream_libraries() {
  try {
    stream_libraries();
  } catch (const BadStream&) {  // told to whoever sends a file
  }
}

}  // namespace pleiad::media
