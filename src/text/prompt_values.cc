#include "text/prompt_values.h"

#include "text/python_text.h"

namespace pleiad::text {

void add_quoted(Prompt& prompt, std::string_view text) {
  prompt.add_control(Tag::quote);
  prompt.add_text(text);
  prompt.add_control(Tag::quote);
}

void add_value(Prompt& prompt, const Json& value, KeyStyle keys) {
  if (value.is_null()) {
    prompt.add_text("null");
  } else if (value.is_string()) {
    add_quoted(prompt, value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    prompt.add_text(value.get<bool>() ? "true" : "false");
  } else if (value.is_object()) {
    prompt.add_text("{");
    std::string_view separator;
    for (const auto& [key, entry] : sorted_entries(value)) {
      prompt.add_text(separator);
      separator = ",";
      if (keys == KeyStyle::quoted) {
        add_quoted(prompt, key);
      } else {
        prompt.add_text(key);
      }
      prompt.add_text(":");
      add_value(prompt, *entry, keys);
    }
    prompt.add_text("}");
  } else if (value.is_array()) {
    prompt.add_text("[");
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) prompt.add_text(",");
      add_value(prompt, value[i], keys);
    }
    prompt.add_text("]");
  } else {
    prompt.add_text(python_str(value));
  }
}

void add_entries(Prompt& prompt, const Json& object) {
  std::string_view separator;
  for (const auto& [key, entry] : sorted_entries(object)) {
    prompt.add_text(separator);
    separator = ",";
    prompt.add_text(key);
    prompt.add_text(":");
    add_value(prompt, *entry, KeyStyle::bare);
  }
}

}  // namespace pleiad::text
