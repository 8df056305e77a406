#pragma once

#include <filesystem>

namespace pleiad {

/// A folder that is whole or not there. Files are made in a temporary folder beside
/// `path`, which takes its name in finish(); without that (an exception, a full disk)
/// it is removed with all that is in it. An empty folder at `path` is taken over;
/// anything else there is refused, unless it is to be replaced: then it stays as it
/// was until finish(), and is removed after that.
class OutputFolder {
 public:
  enum class Existing { refused, replaced };

  /// Throws Error that names the path: there is something already, the folder above
  /// is not there or cannot be written to.
  explicit OutputFolder(const std::filesystem::path& path, Existing existing = Existing::refused);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where the files go until then.
  const std::filesystem::path& place() const { return temporary_; }
  /// As the user gave it.
  const std::filesystem::path& path() const { return path_; }

  /// Makes the list of files durable and gives the folder its name. The files
  /// themselves are finished before.
  void finish();

 private:
  std::filesystem::path take_place();

  std::filesystem::path path_;
  std::filesystem::path target_;     // without a slash at its end, links followed
  std::filesystem::path temporary_;  // empty: finished
  Existing existing_;
};

}  // namespace pleiad
