#pragma once

#include <cstddef>
#include <string_view>

namespace pleiad::terminal {

/// What a line of Markdown is, by what it begins with (behind the marks of quotes).
struct LineStart {
  enum class Kind {
    undecided,  // more of the line must come
    blank,
    text,
    heading,
    item,      // of a list
    rule,      // all of the line
    fence,     // all of the line: begins code
    verbatim,  // of a table
  };
  Kind kind = Kind::undecided;
  std::size_t indent = 0;  // bytes of blanks before it
  std::size_t length = 0;  // bytes of the marker, with the blanks around it: "## ", "  - ", "12. "
  std::size_t level = 0;   // of a heading: 1 to 6
  std::string_view marker = {};  // of an item: "-", "12."
};

/// Never changes its mind about a line when more of it comes.
LineStart find_line_start(std::string_view line, bool is_complete);

/// A fence: "```" or "~~~", or more of them.
struct Fence {
  char mark = 0;  // 0: none
  std::size_t length = 0;
};
Fence fence_of(std::string_view line);

/// Whether a line of code is its closing fence.
enum class ClosesFence { no, yes, undecided };
ClosesFence closes_fence(std::string_view line, const Fence& fence, bool is_complete);

}  // namespace pleiad::terminal
