#include "text/python_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

/// repr(float): the shortest digits that read back as the same number, with an
/// exponent from 1e16 up and below 1e-4.
std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  char buffer[64];
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  std::string text(buffer, end);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

/// Whether Python's repr() escapes the character: separators, controls, format
/// characters, private use and surrogates. (Unassigned ones are not known here.)
bool is_escaped(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return true;
  if (c < 0x600) return false;
  if (c > 0x20 && is_space(c)) return true;
  return (c >= 0x600 && c <= 0x605) || c == 0x61C || c == 0x6DD || c == 0x70F || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || (c >= 0xD800 && c <= 0xF8FF) || c == 0xFEFF ||
         (c >= 0xFFF0 && c <= 0xFFFB) || (c >= 0xFFFE && c <= 0xFFFF) || c >= 0xE0000;
}

void append_escaped(std::string& out, char32_t c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (c <= 0xFF) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  } else if (c <= 0xFFFF) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<unsigned>(c));
  }
}

void append_repr(std::string& out, std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    const char32_t c = first_character(text);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      (out += '\\') += static_cast<char>(c);
    } else if (is_escaped(c)) {
      append_escaped(out, c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += quote;
}

void append_repr(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      append_repr(out, std::string_view(value.get_ref<const std::string&>()));
      break;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "True" : "False";
      break;
    case Json::value_t::number_float:
      out += float_text(value.get<double>());
      break;
    case Json::value_t::number_integer:
      out += std::to_string(value.get<std::int64_t>());
      break;
    case Json::value_t::number_unsigned:
      out += std::to_string(value.get<std::uint64_t>());
      break;
    case Json::value_t::array: {
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ", ";
        append_repr(out, value[i]);
      }
      out += ']';
      break;
    }
    case Json::value_t::object: {
      out += '{';
      std::string_view separator;
      for (const auto& [key, entry] : value.items()) {
        out += separator;
        separator = ", ";
        append_repr(out, std::string_view(key));
        out += ": ";
        append_repr(out, entry);
      }
      out += '}';
      break;
    }
    default:
      out += "None";
      break;
  }
}

}  // namespace

std::string python_str(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  append_repr(out, value);
  return out;
}

bool python_truth(const Json* value) {
  if (!value || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0;
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return !value->empty();
}

const Json* find_field(const Json& value, std::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(std::string(key));
  return found == value.end() ? nullptr : &*found;
}

std::vector<std::pair<std::string_view, const Json*>> sorted_entries(const Json& object) {
  struct Entry {
    std::string lowered;
    std::pair<std::string_view, const Json*> entry;
  };
  std::vector<Entry> entries;
  entries.reserve(object.size());
  for (auto it = object.begin(); it != object.end(); ++it) {
    entries.push_back({lower(it.key()), {it.key(), &it.value()}});
  }
  std::ranges::stable_sort(entries, {}, &Entry::lowered);
  std::vector<std::pair<std::string_view, const Json*>> sorted;
  sorted.reserve(entries.size());
  for (const Entry& entry : entries) sorted.push_back(entry.entry);
  return sorted;
}

bool python_iterate(const Json& value, std::vector<Json>& out) {
  if (value.is_array()) {
    out.assign(value.begin(), value.end());
  } else if (value.is_object()) {
    for (auto it = value.begin(); it != value.end(); ++it) out.emplace_back(it.key());
  } else if (value.is_string()) {
    std::string_view rest = value.get_ref<const std::string&>();
    while (!rest.empty()) {
      const std::size_t length = std::max<std::size_t>(utf8_length(rest), 1);
      out.emplace_back(std::string(rest.substr(0, length)));
      rest.remove_prefix(length);
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace pleiad::text
