#include "media/documents/markup/zip_parts.h"

#include <array>

#include "base/text_format.h"
#include "media/documents/markup/bad_markup.h"
#include "media/documents/markup/libraries.h"

namespace pleiad::media {

/// libzip's archive over the bytes.
class ZipParts::Archive {
 public:
  explicit Archive(std::string_view file) {
    zip_error_t error;
    markup_libraries().zip_error_init(&error);
    zip_source_t* source =
        markup_libraries().zip_source_buffer_create(file.data(), file.size(), 0, &error);
    if (source) archive_ = markup_libraries().zip_open_from_source(source, ZIP_RDONLY, &error);
    if (archive_) return;
    if (source) markup_libraries().zip_source_free(source);
    const std::string why = markup_libraries().zip_error_strerror(&error);
    markup_libraries().zip_error_fini(&error);
    throw BadMarkup("is a damaged ZIP file: {}", printable(why));
  }
  ~Archive() { markup_libraries().zip_discard(archive_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  zip_t* get() const { return archive_; }
  std::string error() const { return printable(markup_libraries().zip_strerror(archive_)); }

 private:
  zip_t* archive_ = nullptr;
};

namespace {

/// A part while it is read.
using OpenPart = std::unique_ptr<zip_file_t, decltype(&::zip_fclose)>;

}  // namespace

ZipParts::ZipParts(std::string_view file, const ZipLimits& limits)
    : archive_(std::make_unique<Archive>(file)), limits_(limits) {
  const zip_int64_t n = markup_libraries().zip_get_num_entries(archive_->get(), 0);
  if (n > limits.max_entries) {
    throw BadMarkup("has {} parts; at most {} are read",
                    format_count(static_cast<std::uint64_t>(n)),
                    format_count(static_cast<std::uint64_t>(limits.max_entries)));
  }
}

ZipParts::~ZipParts() = default;

bool ZipParts::has(const std::string& name) const {
  return markup_libraries().zip_name_locate(archive_->get(), name.c_str(), 0) >= 0;
}

std::int64_t ZipParts::count(std::string_view beginning, std::string_view ending) const {
  std::int64_t found = 0;
  const zip_int64_t n = markup_libraries().zip_get_num_entries(archive_->get(), 0);
  for (zip_int64_t i = 0; i < n; ++i) {
    const char* name =
        markup_libraries().zip_get_name(archive_->get(), static_cast<zip_uint64_t>(i), 0);
    const std::string_view view = name ? name : "";
    found += view.starts_with(beginning) && view.ends_with(ending);
  }
  return found;
}

bool ZipParts::read(const std::string& name, const std::function<void(std::string_view)>& take) {
  const zip_int64_t index = markup_libraries().zip_name_locate(archive_->get(), name.c_str(), 0);
  if (index < 0) return false;
  zip_stat_t about;
  markup_libraries().zip_stat_init(&about);
  if (markup_libraries().zip_stat_index(archive_->get(), static_cast<zip_uint64_t>(index), 0,
                                        &about) != 0) {
    throw BadMarkup("has a damaged part {}: {}", printable(name), archive_->error());
  }
  if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) && about.encryption_method != ZIP_EM_NONE) {
    throw BadMarkup("needs a password");
  }
  const OpenPart part(
      markup_libraries().zip_fopen_index(archive_->get(), static_cast<zip_uint64_t>(index), 0),
      markup_libraries().zip_fclose);
  if (!part) throw BadMarkup("has a damaged part {}: {}", printable(name), archive_->error());
  std::uint64_t size = 0;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const zip_int64_t n = markup_libraries().zip_fread(part.get(), buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n < 0) {
      throw BadMarkup("has a damaged part {}: {}", printable(name),
                      printable(markup_libraries().zip_file_strerror(part.get())));
    }
    size += static_cast<std::uint64_t>(n);
    unpacked_ += static_cast<std::uint64_t>(n);
    if (unpacked_ > limits_.max_unpacked) {
      throw BadMarkup("unpacks to more than {}", format_bytes(limits_.max_unpacked));
    }
    if (size > limits_.small_part && size / limits_.max_ratio > about.comp_size) {
      throw BadMarkup("has a part {} that unpacks to more than {} times its size", printable(name),
                      format_count(limits_.max_ratio));
    }
    take({buffer.data(), static_cast<std::size_t>(n)});
  }
}

}  // namespace pleiad::media
