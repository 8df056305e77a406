// A Modelfile as a NewModel.

#include <fmt/format.h>

#include <optional>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "store/catalog.h"
#include "store/modelfile_text.h"
#include "store/parameters.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxModelfile = 8 << 20;

/// A FROM that says a path, made to count from the Modelfile's folder.
std::string resolve_from(const std::string& from, const fs::path& folder) {
  const fs::path path(from);
  if (path.is_absolute() || from.starts_with("~/")) return from;
  const bool said = from.starts_with("./") || from.starts_with("../") || from == "." ||
                    from == ".." || from.ends_with(".gguf") || from.ends_with(".safetensors");
  std::error_code error;
  if (!said && !fs::exists(folder / path, error)) return from;
  return (folder / path).lexically_normal().string();
}

/// Goes through a Modelfile, one instruction after another.
class Parser {
 public:
  Parser(const std::string& text, const fs::path& folder) : reader_(text), folder_(folder) {}

  /// Throws Error; caught in parse_modelfile.
  NewModel parse() {
    while (auto instruction = reader_.next()) take(*instruction);
    if (model_.from.empty()) {
      throw Error("there is no FROM line, which says what model to start from");
    }
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error("line {}: {}", reader_.line(), why);
  }

  void take(const Instruction& instruction) {
    const std::string keyword = ascii_upper(instruction.keyword);
    if (keyword == "FROM") {
      take_from();
    } else if (keyword == "SYSTEM") {
      model_.recipe.system = reader_.value();
    } else if (keyword == "LICENSE") {
      model_.recipe.licenses.push_back(reader_.value());
    } else if (keyword == "PARAMETER") {
      take_parameter();
    } else if (keyword == "MESSAGE") {
      take_message();
    } else {
      refuse_keyword(keyword);
    }
  }

  /// A model, and then, as Ollama has it, the projector file that belongs to it.
  void take_from() {
    const std::string from = reader_.value();
    if (from.empty() || from.find('\0') != std::string::npos) refuse("FROM: expected a model");
    if (!model_.projector.empty()) {
      refuse("there are more than two FROM: the first names a model, the second its projector");
    }
    (model_.from.empty() ? model_.from : model_.projector) = resolve_from(from, folder_);
  }

  void take_parameter() {
    const std::string name = reader_.word();
    if (name.empty()) refuse("PARAMETER: expected a name and a value");
    auto value = parse_parameter(name, reader_.value());
    if (!value) refuse(fmt::format("PARAMETER {}", value.message()));
    auto& all = model_.recipe.parameters;
    if (name != "stop") std::erase_if(all, [&](const auto& old) { return old.first == name; });
    all.emplace_back(name, std::move(value).value());
  }

  void take_message() {
    const std::string role = reader_.word();
    if (role != "system" && role != "user" && role != "assistant") {
      refuse(
          fmt::format("MESSAGE: expected system, user or assistant, found '{}'", printable(role)));
    }
    model_.recipe.messages.push_back({{"role", role}, {"content", reader_.value()}});
  }

  [[noreturn]] void refuse_keyword(const std::string& keyword) const {
    if (keyword == "TEMPLATE") {
      refuse(
          "TEMPLATE: Gemma 4's own chat template is built in and cannot be replaced; leave "
          "the line out");
    }
    if (keyword == "ADAPTER") {
      refuse("ADAPTER: adapters (LoRA) are not supported; merge it into the model first");
    }
    if (keyword == "RENDERER" || keyword == "PARSER" || keyword == "REQUIRES") {
      refuse(keyword + ": is not needed for Gemma 4; leave the line out");
    }
    refuse(fmt::format("'{}' is not known; expected FROM, SYSTEM, PARAMETER, MESSAGE or LICENSE",
                       printable(keyword)));
  }

  ModelfileReader reader_;
  const fs::path& folder_;
  NewModel model_;
};

}  // namespace

Result<NewModel> parse_modelfile(const std::string& text, const fs::path& folder) {
  if (text.size() > kMaxModelfile) {
    return Failure{fmt::format("the Modelfile has {}; {} at most", format_bytes(text.size()),
                               format_bytes(kMaxModelfile))};
  }
  try {
    return Parser(text, folder).parse();
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

std::string to_modelfile(const ModelEntry& entry) {
  const Recipe& recipe = entry.recipe;
  std::string text = fmt::format("# A Modelfile that makes {}. To build on it: FROM {}\nFROM {}\n",
                                 printable(entry.name, 300), printable(entry.name, 300),
                                 quote_value(entry.path.string()));
  if (!entry.projector.empty()) {
    text += fmt::format("FROM {}\n", quote_value(entry.projector.string()));
  }
  if (!recipe.system.empty()) text += fmt::format("SYSTEM {}\n", quote_value(recipe.system));
  for (const auto& [name, value] : recipe.parameters) {
    text += fmt::format(
        "PARAMETER {} {}\n", name,
        value.is_string() ? quote_value(value.get_ref<const std::string&>()) : to_text(value));
  }
  for (const Json& message : recipe.messages) {
    text += fmt::format("MESSAGE {} {}\n", message.at("role").get_ref<const std::string&>(),
                        quote_value(message.at("content").get_ref<const std::string&>()));
  }
  for (const std::string& license : recipe.licenses) {
    text += fmt::format("LICENSE {}\n", quote_value(license));
  }
  return text;
}

}  // namespace pleiad::store
