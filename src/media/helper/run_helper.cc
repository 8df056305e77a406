#include "media/helper/run_helper.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/text_format.h"
#include "media/decode.h"
#include "media/ffmpeg/libraries.h"
#include "media/helper/confinement.h"
#include "media/helper/messages.h"

namespace pleiad::media {
namespace {

constexpr int kInput = 0;
constexpr int kOutput = 1;

bool read_whole(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t n = ::read(kInput, into.data(), into.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool write_whole(std::span<const std::byte> from) {
  while (!from.empty()) {
    const ssize_t n = ::write(kOutput, from.data(), from.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from = from.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool say_text(MessageKind kind, std::string_view text) {
  text = text.substr(0, kMaxMessageText);
  Message message;
  message.kind = kind;
  message.n_bytes = text.size();
  return write_whole(bytes_of(message)) && write_whole(std::as_bytes(std::span(text)));
}

bool say(const PreparedPicture& picture) {
  Message message = message_of(picture);
  return write_whole(bytes_of(message)) &&
         write_whole(std::as_bytes(std::span(picture.pixels.rgb)));
}

bool say(const PreparedSound& sound) {
  Message message = message_of(sound);
  SoundHead head = head_of(sound);
  if (!write_whole(bytes_of(message)) || !write_whole(bytes_of(head))) return false;
  for (const std::vector<float>& piece : sound.samples.pieces()) {
    if (!write_whole(std::as_bytes(std::span(piece)))) return false;
  }
  return true;
}

bool say(const PreparedVideo& video) {
  Message message = message_of(video);
  VideoHead head = head_of(video);
  if (!write_whole(bytes_of(message)) || !write_whole(bytes_of(head))) return false;
  for (const VideoFrame& frame : video.frames) {
    if (!write_whole(std::as_bytes(std::span(frame.pixels.rgb)))) return false;
  }
  return !video.sound || say(*video.sound);
}

template <typename Prepared>
bool say_outcome(const Result<Prepared>& prepared) {
  return prepared ? say(prepared.value()) : say_text(MessageKind::failure, prepared.message());
}

/// False where the parent is gone, or asks what is no question.
bool prepare_and_answer(const Question& question, std::span<const std::byte> bytes,
                        const HelperWork& work) {
  switch (static_cast<MediaKind>(question.kind)) {
    case MediaKind::picture:
      return say_outcome(
          work.picture(bytes, picture_options_of(question), decode_limits_of(question)));
    case MediaKind::sound:
      return say_outcome(work.sound(bytes, {}, sound_limits_of(question)));
    case MediaKind::video:
      return say_outcome(work.video(bytes, video_options_of(question), video_limits_of(question)));
    case MediaKind::document:
      break;
  }
  return false;
}

/// Reads the file and answers; false where the parent is gone.
bool answer_question(const HelperWork& work, const HelperLimits& limits) {
  Question question;
  if (!read_whole(bytes_of(question)) || question.begin != Question::kBegin) return false;
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(question.n_bytes));
    return read_whole(bytes) && prepare_and_answer(question, bytes, work);
  } catch (const std::bad_alloc&) {
    return say_text(MessageKind::failure, fmt::format("takes more than {} of memory to be read",
                                                      format_bytes(limits.memory_bytes)));
  } catch (const std::length_error&) {
    return say_text(MessageKind::failure, "takes more memory to be read than there can be");
  }
}

/// What decoders fetch from the system, while it may still be asked.
void load_what_decodes(HelperKind kind) {
  if (kind == HelperKind::picture) load_decoders();
  if (kind == HelperKind::stream) load_stream_libraries();
}

}  // namespace

bool is_started_as_helper() {
  struct stat input = {};
  struct stat output = {};
  return ::fstat(kInput, &input) == 0 && ::fstat(kOutput, &output) == 0 &&
         S_ISFIFO(input.st_mode) && S_ISFIFO(output.st_mode);
}

int run_helper(const HelperTask& task, const HelperWork& work) noexcept {
  try {
    load_what_decodes(task.kind);
    Message ready;
    ready.kind = MessageKind::ready;
    ready.confined = confine_helper(task.limits).bits();
    if (!write_whole(bytes_of(ready))) return 1;
  } catch (const std::exception& error) {
    say_text(MessageKind::not_confined, error.what());
    return 1;
  }
  return answer_question(work, task.limits) ? 0 : 1;
}

}  // namespace pleiad::media
