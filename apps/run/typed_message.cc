#include "apps/run/typed_message.h"

#include <algorithm>
#include <utility>

#include "apps/run/slash_commands.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kQuotes = "\"\"\"";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Several lines in quotes, and not a file that begins with some: the second ones end it, and there
/// are no others.
bool is_block(std::string_view text) {
  const std::size_t end = text.find(kQuotes, kQuotes.size());
  return end != std::string_view::npos && is_blank(text.substr(end + kQuotes.size()));
}

}  // namespace

bool end_block(std::string& block, std::size_t from) {
  const std::size_t end = block.find(kQuotes, std::max(from, kQuotes.size()));
  if (end == std::string::npos) return false;
  block.erase(end, kQuotes.size());
  block.erase(0, kQuotes.size());
  return true;
}

TypedMessage read_typed_message(std::string text) {
  using Kind = TypedMessage::Kind;
  if (is_blank(text)) return {};
  const bool has_lines = text.find('\n') != std::string::npos;
  if (text.starts_with(kQuotes)) {
    if (has_lines && !is_block(text)) return {Kind::message, std::move(text)};
    if (end_block(text, 0))
      return {is_blank(text) ? Kind::nothing : Kind::message, std::move(text)};
    return {has_lines ? Kind::message : Kind::open_block, std::move(text)};
  }
  if (is_command(text) && (!has_lines || text.starts_with("/set system"))) {
    return {Kind::command, std::move(text)};
  }
  if (const std::string_view word = without_blanks(text); word == "exit" || word == "quit") {
    return {Kind::leave, {}};
  }
  if (text.starts_with("//") && !has_lines) text.erase(0, 1);
  return {Kind::message, std::move(text)};
}

}  // namespace pleiad::apps
