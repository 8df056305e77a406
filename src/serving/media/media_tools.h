#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "media/documents/document.h"
#include "media/fetcher.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"
#include "serving/media/waiting_memory.h"

namespace pleiad::serving {

/// As those of media::MediaReader and media::DocumentReader, which they are in a server.
template <typename Prepared, typename Options>
using Prepare = std::function<Result<Prepared>(std::span<const std::byte> bytes, const Options&,
                                               const std::function<bool()>& stop)>;
using PreparePicture = Prepare<media::PreparedPicture, media::PictureOptions>;
using PrepareSound = Prepare<media::PreparedSound, media::SoundOptions>;
using PrepareVideo = Prepare<media::PreparedVideo, media::VideoOptions>;
using ReadDocument = std::function<Result<media::Document>(
    std::span<const std::byte> bytes, std::string_view name, const media::DocumentOptions&,
    const std::function<bool()>& stop)>;

/// What media of requests are read with.
struct MediaTools {
  // Those that are empty: none are read here.
  PreparePicture prepare_picture;
  PrepareSound prepare_sound;
  PrepareVideo prepare_video;
  ReadDocument read_document;
  media::MediaFetcher* fetcher = nullptr;  // null: URLs are refused; else outlives the service
  std::shared_ptr<WaitingMemory> waiting = std::make_shared<WaitingMemory>(std::uint64_t{1} << 30);
  std::uint64_t most_bytes = std::uint64_t{256} << 20;  // pixels and samples of one request
  double seconds = 60;  // to read all media of one request, once its turn has come
};

}  // namespace pleiad::serving
