#include "constrain/syntax.h"

#include <algorithm>

#include "text/call_text.h"

namespace pleiad::constrain {
namespace {

void append_call_value(Symbols& out, const Json& value) {
  if (value.is_string()) {
    out.push_back(quote(Syntax::call));
    append(out, value.get_ref<const std::string&>());
    out.push_back(quote(Syntax::call));
  } else if (value.is_object() || value.is_array()) {
    append(out, value.is_object() ? "{" : "[");
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) append(out, ",");
      first = false;
      if (value.is_object()) {
        const Symbols key = spell_key(Syntax::call, item.key());
        out.insert(out.end(), key.begin(), key.end());
      }
      append_call_value(out, item.value());
    }
    append(out, value.is_object() ? "}" : "]");
  } else {
    append(out, to_text(value));
  }
}

/// As our reader, and others, understand it without quotes.
bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, may_be_bare);
}

}  // namespace

bool may_be_bare(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && std::string_view("<>{}[]()\"',:;=`").find(c) == std::string_view::npos;
}

Symbol quote(Syntax syntax) {
  return syntax == Syntax::json ? symbol_of('"') : symbol_of(text::Tag::quote);
}

void append(Symbols& out, std::string_view text) {
  for (const char c : text) out.push_back(symbol_of(c));
}

Symbols spell(Syntax syntax, const Json& value) {
  Symbols out;
  if (syntax == Syntax::json) {
    append(out, to_text(value));
  } else {
    append_call_value(out, value);
  }
  return out;
}

Symbols spell_key(Syntax syntax, std::string_view key) {
  Symbols out;
  const bool quoted = syntax == Syntax::json || !is_plain_key(key);
  if (quoted) out.push_back(quote(syntax));
  const Symbols inside = spell_inside(syntax, key);
  out.insert(out.end(), inside.begin(), inside.end());
  if (quoted) out.push_back(quote(syntax));
  append(out, ":");
  return out;
}

Symbols spell_inside(Syntax syntax, std::string_view text) {
  Symbols out;
  if (syntax == Syntax::call) {
    append(out, text);
  } else {
    const std::string quoted = to_text(Json(text));
    append(out, std::string_view(quoted).substr(1, quoted.size() - 2));
  }
  return out;
}

}  // namespace pleiad::constrain
