#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::terminal {

/// What a user has typed before: whole texts, which may have several lines; the oldest first.
class LineHistory {
 public:
  static constexpr std::size_t kMost = 1000;

  LineHistory() = default;
  explicit LineHistory(std::vector<std::string> entries);

  /// False, and nothing changes, for a text that is blank or the same as the last.
  bool add(std::string text);
  std::size_t size() const { return entries_.size(); }
  const std::string& operator[](std::size_t index) const { return entries_[index]; }
  const std::vector<std::string>& entries() const { return entries_; }
  /// The newest before `before` that contains the text.
  std::optional<std::size_t> find_older(std::string_view text, std::size_t before) const;

 private:
  std::vector<std::string> entries_;
};

/// The first line of a file of these.
inline constexpr std::string_view kHistoryHeader = "_HiStOrY_V2_";

/// An entry as a line of the file, without its end: blanks, controls and backslashes are written as
/// \ooo. The form is that of libedit, which earlier versions used.
std::string encode_history_line(std::string_view entry);
/// The entry of a line that this or libedit (vis(3)) wrote; well-formed UTF-8 whatever it says.
std::string decode_history_line(std::string_view line);
/// All entries of such a file, of whatever bytes.
std::vector<std::string> decode_history(std::string_view file);

}  // namespace pleiad::terminal
