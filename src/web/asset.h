#pragma once

#include <span>
#include <string_view>

namespace pleiad::web {

/// A file of `page/`, embedded in the program.
struct Asset {
  std::string_view name;    // "app.js"
  std::string_view digest;  // of its content, 16 hex digits
  std::string_view content;
};

/// All of them.
std::span<const Asset> assets();

}  // namespace pleiad::web
