#pragma once

#include <zip.h>

#include <map>
#include <string>

#include "base/check.h"

namespace pleiad::media {

/// Names of parts and what is in them.
using ZipContents = std::map<std::string, std::string>;

/// A ZIP file of these, packed.
inline std::string zip_of(const ZipContents& contents) {
  zip_source_t* source = ::zip_source_buffer_create(nullptr, 0, 0, nullptr);
  CHECK(source != nullptr);
  ::zip_source_keep(source);
  zip_t* archive = ::zip_open_from_source(source, ZIP_TRUNCATE, nullptr);
  CHECK(archive != nullptr);
  for (const auto& [name, bytes] : contents) {
    zip_source_t* part = ::zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    CHECK(::zip_file_add(archive, name.c_str(), part, 0) >= 0, "{}", name);
  }
  CHECK(::zip_close(archive) == 0);
  CHECK(::zip_source_open(source) == 0);
  zip_stat_t about;
  ::zip_source_stat(source, &about);
  std::string file(about.size, '\0');
  ::zip_source_read(source, file.data(), file.size());
  ::zip_source_close(source);
  ::zip_source_free(source);
  return file;
}

}  // namespace pleiad::media
