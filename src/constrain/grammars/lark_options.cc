#include "constrain/grammars/lark_options.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text_format.h"

namespace pleiad::constrain::grammars {

void LarkOptions::add(SourceText& source, const LarkWord& word) {
  const Result<Json> options = read_json(word.text, {});
  if (!options) {
    return source.fail_at(word.at, "in the options that begin here: " + options.message());
  }
  for (const auto& [name, value] : options.value().items()) {
    const auto refuse = [&source, &word, option = printable(name)](std::string_view why) {
      source.fail_at(word.at, fmt::format("%llguidance: {}: {}", option, why));
    };
    const bool is_known = name == "allow_initial_skip" || name == "ignore_once" ||
                          name == "no_forcing" || name == "allow_invalid_utf8";
    if (!is_known) return refuse("is not known: there are allow_initial_skip and ignore_once");
    if (!value.is_boolean()) return refuse("expected true or false");
    const bool is_set = value.get<bool>();
    if (name == "allow_initial_skip") allow_initial_skip = is_set;
    if (name == "ignore_once") ignore_once = is_set;
    if (name == "no_forcing" && is_set) {
      return refuse("is not supported: the request's forced_text says it");
    }
    if (name == "allow_invalid_utf8" && is_set) return refuse("is not supported: replies are text");
  }
}

}  // namespace pleiad::constrain::grammars
