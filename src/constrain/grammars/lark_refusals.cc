#include "constrain/grammars/lark_refusals.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::constrain::grammars {

std::string why_no_attribute(std::string_view name) {
  if (name == "stop") {
    return "stop, which takes back what was written, is not supported: suffix keeps it, and the "
           "request may have stop texts";
  }
  if (name == "max_tokens") {
    return "max_tokens of a rule is not supported: a grammar is over text, of which {n,m} says "
           "how long it is";
  }
  if (name == "temperature") {
    return "temperature of a rule is not supported: it is the request's, for the whole reply";
  }
  return fmt::format(
      "the attribute \"{}\" is not known: there are lazy, suffix, capture and stop_capture",
      printable(name));
}

std::string why_no_directive(std::string_view name) {
  std::string why = fmt::format("'{}' is not supported", printable(name));
  if (name == "%declare") return why + ": a terminal needs its text";
  if (name == "%override" || name == "%extend") {
    return why + ": all rules are those of this grammar";
  }
  return why;
}

}  // namespace pleiad::constrain::grammars
