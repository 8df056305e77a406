#include "apps/run/pictures/picture_desk.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <utility>

#include "apps/common/interrupt.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/budget.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

/// All of it, also of a pipe. Throws Error where it is more than a picture may be.
std::string read_whole(std::istream& input, const std::string& name) {
  std::string bytes;
  std::string piece(std::size_t{1} << 20, '\0');
  while (input.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         input.gcount() > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(input.gcount()));
    if (bytes.size() > kLargestPicture) {
      throw Error("{}: more than {}, which is the most that a picture's file may have", name,
                  format_bytes(kLargestPicture));
    }
  }
  if (input.bad()) throw Error("{}: cannot be read: {}", name, errno_text(errno));
  return bytes;
}

}  // namespace

std::string picture_text(const AttachedPicture& picture) {
  const std::string name = printable(picture.name);
  if (!picture.input) return fmt::format("{}, {}", name, format_bytes(picture.bytes->size()));
  const auto count = [](std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); };
  return fmt::format("{}, {} x {}, {} tokens", name, count(picture.original.width),
                     count(picture.original.height), count(picture.n_soft_tokens));
}

AttachedPicture PictureDesk::open_input() {
  AttachedPicture picture;
  picture.name = "the standard input";
  picture.bytes = std::make_shared<const std::string>(read_whole(std::cin, picture.name));
  return picture;
}

AttachedPicture PictureDesk::open(const fs::path& path) {
  AttachedPicture picture;
  std::error_code error;
  const std::string name = printable(path.string(), std::string::npos);
  if (fs::is_directory(path, error))
    throw Error("{}: is a folder; expected a picture's file", name);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("{}: {}", name, errno_text(errno));
  picture.name = path.filename().string();
  picture.bytes = std::make_shared<const std::string>(read_whole(file, name));
  return picture;
}

void PictureDesk::read(AttachedPicture& picture, const PictureBudget& budget,
                       int usual_budget) const {
  const media::PictureOptions options{.budget = budget.of_model(usual_budget)};
  if (picture.input && options.budget && *options.budget == picture.budget) return;
  if (picture.input && !options.budget &&
      picture.budget == media::automatic_budget(picture.original)) {
    return;
  }
  Result<media::PreparedPicture> prepared = prepare_(
      std::as_bytes(std::span(*picture.bytes)), options, [] { return InterruptGuard::pressed(); });
  InterruptGuard::throw_if_pressed();
  if (!prepared) throw Error("{} {}", printable(picture.name), prepared.message());
  media::PreparedPicture made = std::move(prepared).value();
  picture.original = made.original;
  picture.budget = made.budget;
  picture.n_soft_tokens = made.n_soft_tokens;
  picture.input = std::make_shared<const PictureInput>(make_picture_input(
      made.pixels.size.width, made.pixels.size.height, std::move(made.pixels.rgb)));
}

}  // namespace pleiad::apps
