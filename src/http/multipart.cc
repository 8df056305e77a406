#include "http/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "http/ascii.h"

namespace pleiad::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kLongestBoundary = 70;

/// The value of a parameter of "type; a=b; c=\"d\"", where it is there.
std::optional<std::string> form_parameter(std::string_view header, std::string_view wanted) {
  std::size_t at = header.find(';');
  while (at < header.size()) {
    const std::size_t equals = header.find('=', ++at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name = lowered(trimmed(header.substr(at, equals - at)));
    std::string value;
    at = equals + 1;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size() &&
            (header[at + 1] == '"' || header[at + 1] == '\\')) {
          ++at;
        }
        value += header[at];
      }
      if (at >= header.size()) return std::nullopt;  // it is not ended
      at = header.find(';', at);
    } else {
      const std::size_t end = std::min(header.find(';', at), header.size());
      value = trimmed(header.substr(at, end - at));
      at = end;
    }
    if (name == wanted) return value;
  }
  return std::nullopt;
}

/// The line of a part's head with what its field is called.
std::optional<std::string_view> disposition_of(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find(kLineEnd), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + kLineEnd.size(), head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (lowered(line.substr(0, colon)) == "content-disposition") return line.substr(colon + 1);
  }
  return std::nullopt;
}

Result<FormPart> read_form_part(std::string_view text, std::size_t index) {
  const auto bad = [&](std::string_view what) {
    return Failure{fmt::format("part {} of the form {}", index, what)};
  };
  // A part may begin with its content, but then it has no name.
  if (text.starts_with(kLineEnd)) return bad("has no Content-Disposition");
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos || end > kLongestPartHead) return bad("has no head");
  const auto about = disposition_of(text.substr(0, end));
  if (!about) return bad("has no Content-Disposition");
  const auto name = form_parameter(*about, "name");
  if (!name) return bad("has no name");
  FormPart part;
  part.name = *name;
  const auto file_name = form_parameter(*about, "filename");
  // Some clients send a name in other letters in its extended form alone (RFC 5987).
  part.is_file = file_name || form_parameter(*about, "filename*");
  part.file_name = file_name.value_or("");
  part.content = text.substr(end + 4);
  return part;
}

}  // namespace

Result<std::vector<FormPart>> parse_multipart(std::string_view body,
                                              std::string_view content_type) {
  const std::string_view type =
      content_type.substr(0, std::min(content_type.find(';'), content_type.size()));
  if (lowered(trimmed(type)) != "multipart/form-data") {
    return Failure{"expected a body of type multipart/form-data"};
  }
  const auto boundary = form_parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary) {
    return Failure{"expected a boundary of 1 to 70 characters in Content-Type"};
  }
  const std::string first = "--" + *boundary;
  const std::string next = std::string(kLineEnd) + first;
  // What comes before the first boundary means nothing.
  std::size_t at = body.starts_with(first) ? first.size() : body.find(next);
  if (at == std::string_view::npos) return Failure{"the form has no parts"};
  if (!body.starts_with(first)) at += next.size();
  std::vector<FormPart> parts;
  for (;;) {
    if (body.substr(at).starts_with("--")) return parts;
    const std::size_t line = body.find(kLineEnd, at);
    if (line == std::string_view::npos || !trimmed(body.substr(at, line - at)).empty()) {
      return Failure{"a boundary of the form is followed by something else than a part"};
    }
    const std::size_t begin = line + kLineEnd.size();
    const std::size_t end =
        body.find(next, line);  // an empty part's head ends with this line's end
    if (end == std::string_view::npos)
      return Failure{"the form is cut off: its last part has no end"};
    if (parts.size() == kMostFormParts) {
      return Failure{fmt::format("the form has more than {} parts", kMostFormParts)};
    }
    Result<FormPart> part =
        read_form_part(body.substr(begin, end > begin ? end - begin : 0), parts.size());
    if (!part) return Failure{part.message()};
    parts.push_back(std::move(part).value());
    at = end + next.size();
  }
}

}  // namespace pleiad::http
