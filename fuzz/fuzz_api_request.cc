// A body is read by the parser that the first byte chooses, or refused with an Error.
// What is known of a parsed request holds: names are there, counts are within limits.
#include <array>
#include <cstdint>
#include <string_view>

#include "api/common/options.h"
#include "api/ollama/answer_request.h"
#include "api/ollama/embed_request.h"
#include "api/ollama/manage_request.h"
#include "base/check.h"
#include "base/error.h"

namespace {

using namespace pleiad::api;  // NOLINT

void check_answer(const ollama::AnswerBody& body) {
  CHECK(!body.request.model.empty());
  CHECK(body.request.messages.size() <= kMaxMessages);
  CHECK(!body.request.stop || body.request.stop->size() <= kMaxStops);
  CHECK(body.warnings.size() < 100);
  CHECK(body.request.media.size() <= pleiad::serving::kMostMedia);
}

void generate(std::string_view text) { check_answer(ollama::parse_generate(text)); }
void chat(std::string_view text) { check_answer(ollama::parse_chat(text)); }
void embed(std::string_view text) { CHECK(!ollama::parse_embed(text).request.model.empty()); }
void embeddings(std::string_view text) {
  CHECK(ollama::parse_embeddings(text).request.inputs.size() <= 1);
}
void name(std::string_view text) { CHECK(!ollama::parse_name(text).model.empty()); }
void copy(std::string_view text) { CHECK(!ollama::parse_copy(text).destination.empty()); }
void create(std::string_view text) {
  for (const auto& file : ollama::parse_create(text).model.files) CHECK(file.second.size() == 71);
}

/// Parsers of further APIs go at the end, so that seeds keep their meaning.
constexpr std::array kParsers = {generate, chat, embed, embeddings, name, copy, create};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    kParsers[data[0] % kParsers.size()](body);
  } catch (const pleiad::Error&) {
    // refused
  }
  return 0;
}
