#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::media {

/// What a ZIP file may cost.
struct ZipLimits {
  std::int64_t max_entries = 10'000;
  std::uint64_t max_unpacked = std::uint64_t{128} << 20;  // of all parts that are read
  /// Text is packed to a tenth or a fiftieth; a part that claims more and is large is a bomb.
  std::uint64_t max_ratio = 200;
  std::uint64_t small_part = std::uint64_t{4} << 20;
};

/// The parts of a ZIP file that lies in memory, unpacked as they are read.
class ZipParts {
 public:
  /// `file` lives longer. Throws BadMarkup.
  ZipParts(std::string_view file, const ZipLimits& limits);
  ~ZipParts();
  ZipParts(const ZipParts&) = delete;
  ZipParts& operator=(const ZipParts&) = delete;

  bool has(const std::string& name) const;
  /// Whether there is a part whose name begins so.
  bool has_any(std::string_view beginning) const { return count(beginning, {}) > 0; }
  std::int64_t count(std::string_view beginning, std::string_view ending) const;

  /// Gives a part's bytes piece by piece, however large it says that it is. False where there is no
  /// such part. Throws BadMarkup.
  bool read(const std::string& name, const std::function<void(std::string_view)>& take);

 private:
  class Archive;
  std::unique_ptr<Archive> archive_;
  ZipLimits limits_;
  std::uint64_t unpacked_ = 0;
};

}  // namespace pleiad::media
