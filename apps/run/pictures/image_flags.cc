#include "apps/run/pictures/image_flags.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "apps/run/chat_file.h"
#include "apps/run/pictures/picture_desk.h"
#include "base/text_format.h"
#include "media/picture_format.h"

namespace pleiad::apps {
namespace {

constexpr const char* kPictureKinds = "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF";

}  // namespace

void check_images(const std::vector<std::string>& images, bool has_prompt) {
  if (images.size() > kMostPictures) {
    throw UsageError("--image: {} pictures; a conversation has at most {}", images.size(),
                     kMostPictures);
  }
  const auto from_input = std::ranges::count(images, "-");
  if (from_input == 0) return;
  if (from_input > 1) throw UsageError("--image -: the standard input can be one picture alone");
  if (!has_prompt) {
    throw UsageError(
        "--image -: the picture comes from the standard input; expected PROMPT among the "
        "arguments, found none");
  }
  if (is_terminal(stdin)) {
    throw UsageError("--image -: expected a picture on the standard input, found a terminal");
  }
}

std::vector<AttachedPicture> open_images(const std::vector<std::string>& images,
                                         const std::filesystem::path& home) {
  std::vector<AttachedPicture> pictures;
  for (const std::string& image : images) {
    try {
      pictures.push_back(image == "-" ? PictureDesk::open_input()
                                      : PictureDesk::open(typed_path(image, home)));
    } catch (const Error& error) {
      throw Error("--image: {}", error.what());
    }
    if (!media::sniff_picture(std::as_bytes(std::span(*pictures.back().bytes)))) {
      throw Error("--image: {}: not a picture; expected {}", printable(image, std::string::npos),
                  kPictureKinds);
    }
  }
  return pictures;
}

}  // namespace pleiad::apps
