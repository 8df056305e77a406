#include "text/tool_declaration.h"

#include <algorithm>
#include <array>

#include "text/prompt_values.h"
#include "text/python_text.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

/// Follows the official template branch by branch, also where its result looks
/// odd: the model was trained on exactly that.
class DeclarationWriter {
 public:
  void tool(const Json& function, const std::string& where) {
    add_tagged("declaration:", find_field(function, "name"));
    prompt_.add_text("{description:");
    add_quoted_value(find_field(function, "description"));
    const Json* parameters = find_field(function, "parameters");
    if (python_truth(parameters)) this->parameters(*parameters, where + ".parameters");
    if (const Json* response = find_field(function, "response")) this->response(*response);
    prompt_.add_text("}");
  }

  const std::string& failure() const { return failure_; }
  Prompt& prompt() { return prompt_; }

 private:
  /// Commas between the parts of one property.
  class Parts {
   public:
    explicit Parts(Prompt& prompt) : prompt_(prompt) {}
    void next(std::string_view label) {
      if (!first_) prompt_.add_text(",");
      first_ = false;
      prompt_.add_text(label);
    }

   private:
    Prompt& prompt_;
    bool first_ = true;
  };

  void fail(std::string message) {
    if (failure_.empty()) failure_ = std::move(message);
  }

  void add_tagged(std::string_view label, const Json* value) {
    prompt_.add_text(label);
    if (value) prompt_.add_text(python_str(*value));
  }

  void add_quoted_value(const Json* value) { add_quoted(prompt_, value ? python_str(*value) : ""); }

  static std::string upper_type(const Json& schema) {
    const Json* type = find_field(schema, "type");
    return type ? upper(python_str(*type)) : std::string();
  }

  void parameters(const Json& schema, const std::string& where) {
    prompt_.add_text(",parameters:{");
    const Json* properties = find_field(schema, "properties");
    if (python_truth(properties)) {
      prompt_.add_text("properties:{");
      this->properties(*properties, where + ".properties");
      prompt_.add_text("},");
    }
    const Json* required = find_field(schema, "required");
    if (python_truth(required)) {
      names(*required, where);
      prompt_.add_text(",");
    }
    if (python_truth(find_field(schema, "type"))) {
      prompt_.add_text("type:");
      add_quoted(prompt_, upper_type(schema));
      prompt_.add_text("}");
    }
  }

  void response(const Json& schema) {
    prompt_.add_text(",response:{");
    const Json* description = find_field(schema, "description");
    if (python_truth(description)) {
      prompt_.add_text("description:");
      add_quoted_value(description);
      prompt_.add_text(",");
    }
    if (upper_type(schema) == "OBJECT") {
      prompt_.add_text("type:");
      add_quoted(prompt_, "OBJECT");
      prompt_.add_text("}");
    }
  }

  /// required:[...]
  void names(const Json& required, const std::string& where) {
    std::vector<Json> items;
    if (!python_iterate(required, items)) fail(where + ".required: expected a list of names");
    prompt_.add_text("required:[");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) prompt_.add_text(",");
      add_quoted(prompt_, python_str(items[i]));
    }
    prompt_.add_text("]");
  }

  void properties(const Json& properties, const std::string& where, bool only_unusual = false) {
    static constexpr std::array<std::string_view, 5> kUsual = {"description", "type", "properties",
                                                               "required", "nullable"};
    if (!properties.is_object()) return fail(where + ": expected an object");
    std::string_view separator;
    for (const auto& [key, schema] : sorted_entries(properties)) {
      if (only_unusual && std::ranges::find(kUsual, key) != kUsual.end()) continue;
      prompt_.add_text(separator);
      separator = ",";
      prompt_.add_text(key);
      prompt_.add_text(":{");
      property(*schema, where + "." + std::string(key));
    }
  }

  void property(const Json& schema, const std::string& where) {
    Parts parts(prompt_);
    const std::string type = upper_type(schema);
    if (const Json* description = find_field(schema, "description"); python_truth(description)) {
      parts.next("description:");
      add_quoted_value(description);
    }
    if (type == "STRING") {
      if (const Json* values = find_field(schema, "enum"); python_truth(values)) {
        parts.next("enum:");
        add_value(prompt_, *values, KeyStyle::quoted);
      }
    } else if (type == "ARRAY") {
      const Json* items = find_field(schema, "items");
      if (items && items->is_object() && !items->empty()) {
        parts.next("items:{");
        this->items(*items, where + ".items");
        prompt_.add_text("}");
      }
    }
    if (python_truth(find_field(schema, "nullable"))) parts.next("nullable:true");
    if (type == "OBJECT") object(schema, where, parts);
    parts.next("type:");
    add_quoted(prompt_, type);
    prompt_.add_text("}");
  }

  void object(const Json& schema, const std::string& where, Parts& parts) {
    const Json* nested = find_field(schema, "properties");
    parts.next("properties:{");
    if (nested && nested->is_object()) {
      properties(*nested, where + ".properties");
    } else {
      properties(schema, where, true);
    }
    prompt_.add_text("}");
    if (const Json* required = find_field(schema, "required"); python_truth(required)) {
      parts.next("");
      names(*required, where);
    }
  }

  void items(const Json& items, const std::string& where) {
    Parts parts(prompt_);
    for (const auto& [key, value] : sorted_entries(items)) {
      if (value->is_null()) continue;
      parts.next("");
      if (key == "properties") {
        prompt_.add_text("properties:{");
        if (value->is_object()) properties(*value, where + ".properties");
        prompt_.add_text("}");
      } else if (key == "required") {
        names(*value, where);
      } else if (key == "type") {
        prompt_.add_text("type:");
        item_type(*value, where);
      } else {
        prompt_.add_text(key);
        prompt_.add_text(":");
        add_value(prompt_, *value, KeyStyle::quoted);
      }
    }
  }

  void item_type(const Json& type, const std::string& where) {
    if (type.is_string()) return add_quoted(prompt_, upper(python_str(type)));
    std::vector<Json> choices;
    if (!python_iterate(type, choices)) fail(where + ".type: expected a name or a list of names");
    for (Json& choice : choices) choice = upper(python_str(choice));
    add_value(prompt_, Json(choices), KeyStyle::quoted);
  }

  Prompt prompt_;
  std::string failure_;
};

}  // namespace

Result<Prompt> declare_tool(const Json& tool, const std::string& where) {
  const Json* function = find_field(tool, "function");
  if (!function || !function->is_object()) {
    return Failure{where + ".function: expected an object"};
  }
  DeclarationWriter writer;
  writer.tool(*function, where + ".function");
  if (!writer.failure().empty()) return Failure{writer.failure()};
  return std::move(writer.prompt());
}

}  // namespace pleiad::text
