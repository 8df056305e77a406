#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pleiad::apps {

/// The messages that a user has typed, in a file that nobody else may read. What goes wrong with it
/// is no reason to end a conversation: then there is no history.
class HistoryFile {
 public:
  /// Empty: nothing is kept.
  explicit HistoryFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// The entries, the oldest first; those of earlier versions too. A file that has grown long is
  /// cut.
  std::vector<std::string> load();
  /// Adds one; another program that runs at the same time does not lose its own by it.
  void append(const std::string& entry);

 private:
  std::filesystem::path path_;
};

}  // namespace pleiad::apps
