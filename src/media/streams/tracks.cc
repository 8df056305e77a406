#include "media/streams/tracks.h"

#include <algorithm>
#include <optional>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

using Bytes = std::span<const std::byte>;

/// More of one kind than any file has; a file that is made to hurt ends here.
constexpr int kMostElements = 10'000;

/// A box of ISO/IEC 14496-12 (4.2): its type, what is in it, and what follows it.
struct Box {
  std::uint32_t type = 0;
  Bytes content;
  Bytes rest;
};

constexpr std::uint32_t box_type(const char (&name)[5]) {
  std::uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<unsigned char>(name[i]);
  return type;
}

std::optional<Box> first_box(Bytes bytes) {
  if (bytes.size() < 8) return std::nullopt;
  std::uint64_t size = read_u32_big(bytes, 0);
  std::uint64_t header = 8;
  if (size == 1) {
    size = std::uint64_t{read_u32_big(bytes, 8)} << 32 | read_u32_big(bytes, 12);
    header = 16;
  } else if (size == 0) {
    size = bytes.size();  // to the end of the file
  }
  if (size < header || bytes.size() < header) return std::nullopt;
  const std::size_t end = static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes.size()));
  return Box{read_u32_big(bytes, 4), bytes.first(end).subspan(static_cast<std::size_t>(header)),
             bytes.subspan(end)};
}

/// The content of the first such box.
std::optional<Bytes> find_box(Bytes bytes, std::uint32_t type) {
  for (int i = 0; i < kMostElements; ++i) {
    const std::optional<Box> box = first_box(bytes);
    if (!box) return std::nullopt;
    if (box->type == type) return box->content;
    bytes = box->rest;
  }
  return std::nullopt;
}

bool is_video_box(Bytes track) {
  const auto media = find_box(track, box_type("mdia"));
  const auto handler = media ? find_box(*media, box_type("hdlr")) : std::nullopt;
  // Version and flags, a predefined field, the type of the handler.
  return handler && read_u32_big(*handler, 8) == box_type("vide");
}

bool mp4_has_video(Bytes bytes) {
  if (begins_with(bytes, "ftypM4A ", 4) || begins_with(bytes, "ftypM4B ", 4)) return false;
  const auto movie = find_box(bytes, box_type("moov"));
  if (!movie) return true;
  Bytes left = *movie;
  for (int i = 0; i < kMostElements; ++i) {
    const std::optional<Box> box = first_box(left);
    if (!box) return false;
    if (box->type == box_type("trak") && is_video_box(box->content)) return true;
    left = box->rest;
  }
  return false;
}

/// A number of EBML (RFC 8794, 4): its first byte tells its length by the zeros before its first
/// one, which `keeps_marker` says whether to leave in.
std::optional<std::uint64_t> take_ebml_number(Bytes& bytes, bool keeps_marker) {
  if (bytes.empty()) return std::nullopt;
  const std::uint32_t first = read_u8(bytes, 0);
  std::size_t length = 1;
  while (length <= 8 && (first & 0x100U >> length) == 0) ++length;
  if (length > 8 || bytes.size() < length) return std::nullopt;
  std::uint64_t number = keeps_marker ? first : first & (0xFFU >> length);
  for (std::size_t i = 1; i < length; ++i) number = number << 8 | read_u8(bytes, i);
  const std::uint64_t unknown = (std::uint64_t{1} << 7 * length) - 1;
  bytes = bytes.subspan(length);
  return !keeps_marker && number == unknown ? ~std::uint64_t{0} : number;
}

struct Element {
  std::uint64_t id = 0;
  Bytes content;  // to the end of what there is where its size is not known
  bool is_whole = false;
};

std::optional<Element> take_element(Bytes& bytes) {
  const auto id = take_ebml_number(bytes, true);
  const auto size = id ? take_ebml_number(bytes, false) : std::nullopt;
  if (!size) return std::nullopt;
  const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(*size, bytes.size()));
  const Element element = {*id, bytes.first(n), *size <= bytes.size()};
  bytes = bytes.subspan(n);
  return element;
}

/// The content of the first such element; nothing behind one of unknown size is looked at.
std::optional<Bytes> find_element(Bytes bytes, std::uint64_t id) {
  for (int i = 0; i < kMostElements; ++i) {
    const std::optional<Element> element = take_element(bytes);
    if (!element) return std::nullopt;
    if (element->id == id) return element->content;
  }
  return std::nullopt;
}

bool matroska_has_video(Bytes bytes) {
  constexpr std::uint64_t kSegment = 0x18538067;
  constexpr std::uint64_t kTracks = 0x1654AE6B;
  constexpr std::uint64_t kTrackEntry = 0xAE;
  constexpr std::uint64_t kTrackType = 0x83;
  const auto segment = find_element(bytes, kSegment);
  const auto tracks = segment ? find_element(*segment, kTracks) : std::nullopt;
  if (!tracks) return true;
  Bytes left = *tracks;
  for (int i = 0; i < kMostElements; ++i) {
    const std::optional<Element> element = take_element(left);
    if (!element) return false;
    if (element->id != kTrackEntry) continue;
    const auto type = find_element(element->content, kTrackType);
    if (type && !type->empty() && read_u8(*type, type->size() - 1) == 1) return true;
  }
  return false;
}

/// By the pages that begin a stream, which come first (RFC 3533, 6): what theirs begins with.
bool ogg_has_video(Bytes bytes) {
  constexpr std::size_t kHeader = 27;
  for (int i = 0; i < kMostElements; ++i) {
    if (!begins_with(bytes, "OggS") || bytes.size() < kHeader || (read_u8(bytes, 5) & 2) == 0) {
      return false;
    }
    const std::size_t n_segments = read_u8(bytes, 26);
    std::size_t size = kHeader + n_segments;
    for (std::size_t k = 0; k < n_segments; ++k) size += read_u8(bytes, kHeader + k);
    const Bytes content = bytes.subspan(std::min(bytes.size(), kHeader + n_segments));
    if (begins_with(content, "\x80theora") || begins_with(content, "OVP80")) return true;
    bytes = bytes.subspan(std::min(bytes.size(), size));
  }
  return false;
}

}  // namespace

bool has_video_track(StreamFormat format, std::span<const std::byte> bytes) {
  switch (format) {
    case StreamFormat::mp4:
      return mp4_has_video(bytes);
    case StreamFormat::matroska:
    case StreamFormat::webm:
      return matroska_has_video(bytes);
    case StreamFormat::ogg:
      return ogg_has_video(bytes);
    case StreamFormat::avi:
    case StreamFormat::mpegts:
    case StreamFormat::gif:
      return true;
    case StreamFormat::wav:
    case StreamFormat::aiff:
    case StreamFormat::flac:
    case StreamFormat::mpeg:
    case StreamFormat::adts:
      return false;
  }
  return false;
}

}  // namespace pleiad::media
