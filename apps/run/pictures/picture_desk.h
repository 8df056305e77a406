#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/picture_budget.h"
#include "apps/run/pictures/attached_picture.h"
#include "base/result.h"
#include "media/prepare.h"

namespace pleiad::apps {

/// Bytes of a picture's file, and pictures of a conversation, at most: what a server takes too.
inline constexpr std::size_t kLargestPicture = std::size_t{64} << 20;
inline constexpr std::size_t kMostPictures = 100;

/// As media::MediaReader::prepare_picture.
using PreparePicture = std::function<Result<media::PreparedPicture>(
    std::span<const std::byte> bytes, const media::PictureOptions& options,
    const std::function<bool()>& stop)>;

/// Where pictures are read for a conversation.
class PictureDesk {
 public:
  explicit PictureDesk(PreparePicture prepare) : prepare_(std::move(prepare)) {}

  /// The picture of a file, or of the standard input, not read yet: any file will do. Throws Error
  /// that names it.
  static AttachedPicture open(const std::filesystem::path& path);
  static AttachedPicture open_input();

  /// Makes of the picture what a model with that budget sees; nothing where that was done before.
  /// Throws Error that names the picture, or Interrupted after Ctrl-C.
  void read(AttachedPicture& picture, const PictureBudget& budget, int usual_budget) const;

 private:
  PreparePicture prepare_;
};

}  // namespace pleiad::apps
