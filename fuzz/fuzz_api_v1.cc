// A body for OpenAI's or Anthropic's API is read or refused with a RequestError, never
// anything else; the messages of one that is read are such as chat templates take. The
// first byte chooses the endpoint.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/anthropic/messages_request.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/chat_request.h"
#include "api/openai/completion_request.h"
#include "api/openai/embeddings.h"
#include "api/openai/responses/compaction.h"
#include "api/openai/responses/response_json.h"
#include "api/openai/responses/response_request.h"
#include "base/check.h"
#include "text/chat_input.h"

namespace {

using namespace pleiad;

text::ContentPart::Kind part_kind(serving::MediaKind kind) {
  using Kind = text::ContentPart::Kind;
  switch (kind) {
    case serving::MediaKind::picture:
      return Kind::image;
    case serving::MediaKind::sound:
      return Kind::audio;
    case serving::MediaKind::video:
      return Kind::video;
    case serving::MediaKind::document:
      return Kind::document;
  }
  return Kind::text;
}

void check_request(const serving::AnswerRequest& request) {
  const auto input = text::parse_chat_input({{"messages", request.messages}});
  CHECK(input.ok(), "{}", input.message());
  // Each medium that a message shows is one of the request's, and of its kind.
  for (const text::MediaPlace& place : text::media_places(input.value())) {
    CHECK(place.part->media >= 0);
    const auto index = static_cast<std::size_t>(place.part->media);
    CHECK(index < request.media.size());
    CHECK(place.part->kind == part_kind(request.media[index].kind));
  }
}

using StoredPtr = std::shared_ptr<const api::openai::StoredResponse>;

/// A response that is kept: "resp_1", with items "msg_1", "rs_1", "fc_1" and "msg_2".
StoredPtr make_stored() {
  using namespace api::openai;
  const auto nothing = [](const std::string&) { return nullptr; };
  api::IdSource ids;
  const ResponseRequest asked = read_response_request(
      api::parse_request(R"({"model": "m", "input": [{"role": "user", "content": "a",
                                                      "id": "msg_1"}]})"),
      {nothing, nothing}, ids);
  Json output = api::parse_request(R"({"items": [
      {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]},
      {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "c", "name": "f",
       "arguments": "{\"a\": 1}"},
      {"id": "msg_2", "type": "message", "status": "completed", "role": "assistant", "content": [
        {"type": "output_text", "text": "b", "annotations": [], "logprobs": []}]}]})");
  return std::make_shared<const StoredResponse>(stored_response(
      asked, response_json({"resp_1", 0}, asked, "completed", std::move(output["items"]))));
}

void read(std::uint8_t endpoint, const Json& body) {
  static const StoredPtr stored = make_stored();
  api::IdSource ids;
  using api::openai::ResponseUse;
  const auto read_response = [&](ResponseUse use) {
    const auto response = [](const std::string& id) {
      return id == stored->id ? stored : StoredPtr();
    };
    const auto with_item = [](const std::string& id) {
      const auto& items = stored->item_ids;
      return std::find(items.begin(), items.end(), id) != items.end() ? stored : StoredPtr();
    };
    return api::openai::read_response_request(body, {response, with_item}, ids,
                                              api::SpareFields::tell, use);
  };
  switch (endpoint % 8) {
    case 0:
      return check_request(api::openai::read_chat_request(body).answer);
    case 1:
      return (void)api::openai::read_completion_request(body).answers();
    case 2:
      return (void)api::openai::read_embeddings_request(body);
    case 3:
      return check_request(read_response(ResponseUse::answer).answer);
    case 4:
      return check_request(api::anthropic::read_messages_request(body).answer);
    case 5:
      return check_request(api::anthropic::read_count_request(body).answer);
    case 6:
      return check_request(read_response(ResponseUse::count).answer);
    default: {
      api::openai::ResponseRequest request = read_response(ResponseUse::compaction);
      api::openai::ask_for_summary(request);
      return check_request(request.answer);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    read(data[0], api::parse_request(text));
  } catch (const api::RequestError&) {
  }
  return 0;
}
