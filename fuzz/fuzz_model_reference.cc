// A name of a model elsewhere is read or refused; what is read is written shorter, means the same
// when it is read again, and no part of it can leave a folder.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "pull/model_reference.h"

namespace {

using namespace pleiad;

void check_relative(std::string_view text) {
  const std::string path = "/" + std::string(text) + "/";
  CHECK(path.find("/../") == std::string::npos, "{}", text);
  CHECK(path.find("//") == std::string::npos, "{}", text);
  CHECK(path.find('\0') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = pull::ModelReference::parse(text);
  if (!read) {
    CHECK(!read.message().empty());
    return 0;
  }
  const pull::ModelReference& reference = read.value();
  const auto again = pull::ModelReference::parse(reference.text());
  CHECK(again.ok(), "{}", reference.text());
  CHECK(again.value() == reference, "{}", reference.text());
  CHECK(again.value().place == reference.place, "{}", reference.text());
  if (reference.place == pull::Place::hugging_face) {
    CHECK(pull::is_repository(reference.repository), "{}", reference.repository);
    if (!reference.revision.empty()) check_relative(reference.revision);
    if (!reference.choice.empty()) check_relative(reference.choice);
  }
  if (reference.place == pull::Place::registry) check_relative(reference.name.path().string());
  return 0;
}
