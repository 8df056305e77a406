#include "apps/common/frame_list.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"

namespace pleiad::apps {

media::PreparedVideo read_frame_list(std::span<const std::filesystem::path> files, double fps,
                                     const media::VideoOptions& options,
                                     media::MediaReader& reader) {
  if (const auto refused = media::refuse_options(options)) throw Error("{}", refused->message);
  media::PreparedVideo video;
  video.format = "a list of pictures";
  video.fps = fps;
  video.total_frames = std::ssize(files);
  video.seconds = static_cast<double>(video.total_frames) / fps;
  video.budget = options.budget;
  const std::int64_t n = std::min<std::int64_t>(options.n_frames, video.total_frames);
  for (std::int64_t k = 0; k < n; ++k) {
    media::VideoFrame frame;
    frame.index = media::frame_index(k, n, video.total_frames);
    frame.seconds = static_cast<double>(frame.index) / fps;
    const std::filesystem::path& path = files[static_cast<std::size_t>(frame.index)];
    const MappedFile file(path);
    auto picture = reader.prepare_picture(file.bytes(), {options.budget});
    if (!picture) throw Error("{}: {}", path.string(), picture.message());
    const media::PictureSize size = picture.value().original;
    if (k == 0) video.original = size;
    if (size.width != video.original.width || size.height != video.original.height) {
      throw Error("{}: expected {} x {} pixels, as the video's first frame has, found {} x {}",
                  path.string(), video.original.width, video.original.height, size.width,
                  size.height);
    }
    video.n_soft_tokens = static_cast<int>(picture.value().n_soft_tokens);
    frame.pixels = std::move(picture.value().pixels);
    video.frames.push_back(std::move(frame));
  }
  return video;
}

}  // namespace pleiad::apps
