#include "api/openai/responses/response_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/field_reader.h"
#include "api/common/local_fields.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/continuation.h"
#include "api/openai/reply_form_fields.h"
#include "api/openai/responses/item_lookup.h"
#include "api/openai/responses/response_items.h"
#include "api/openai/shared_fields.h"
#include "api/openai/tool_choice.h"
#include "base/text_format.h"

namespace pleiad::api::openai {
namespace {

/// Reads one request; what is read also goes to `echo`.
class ResponseReader {
 public:
  ResponseReader(const Json& json, const KeptBefore& kept, IdSource& ids, SpareFields spare,
                 ResponseUse use)
      : body_(json),
        use_(use),
        kept_(kept),
        ids_(ids),
        notes_(spare),
        answer_(request_.answer),
        echo_(request_.echo) {}

  ResponseRequest read() {
    answer_.model = body_.required_text("model");
    read_conversation();
    read_extensions(body_, answer_, notes_.warnings());  // before what overrules `options`
    read_local_fields(body_, answer_, notes_);
    read_sampling();
    read_tools();
    read_tool_choice();
    read_format();
    read_local_reply_form(body_, answer_, notes_);
    read_reasoning();
    read_includes();
    read_rest();
    request_.warnings = notes_.take();
    return std::move(request_);
  }

 private:
  void read_conversation() {
    const Json* input = body_.value("input");
    const bool may_go_without = use_ != ResponseUse::answer && body_.has("previous_response_id");
    if (!input && !may_go_without) body_.refuse("input", "a string or a list of items");
    const std::string instructions = body_.text("instructions").value_or("");
    echo_["instructions"] = instructions.empty() ? Json(nullptr) : Json(instructions);
    echo_["previous_response_id"] = nullptr;
    if (const auto id = body_.text("previous_response_id")) {
      request_.previous = kept_.response(*id);
      if (!request_.previous) {
        throw RequestError("previous_response_id",
                           fmt::format("no response {} is kept", describe(Json(*id))),
                           "previous_response_not_found");
      }
      if (request_.previous->n_turns >= ResponseStore::kMaxTurns) {
        throw RequestError("previous_response_id",
                           fmt::format("the conversation has {} turns, which is the most",
                                       ResponseStore::kMaxTurns));
      }
      echo_["previous_response_id"] = *id;
    }
    ItemLookup lookup(kept_.with_item);
    std::vector<std::string> paths;
    request_.input_items = input
                               ? read_items(*input, "input", ids_, notes_, paths,
                                            [&](const std::string& id) { return lookup.find(id); })
                               : Json::array();
    Json items = earlier_items();
    for (const Json& item : request_.input_items) items.push_back(item);
    if (items.empty()) {
      throw RequestError("input", "has no item that the model could be given");
    }
    if (use_ == ResponseUse::compaction) keep_user_items(items);
    MediaReader media(notes_);
    answer_.messages = items_to_messages(instructions, items, paths, media, notes_);
    answer_.media = media.take();
    if (use_ != ResponseUse::compaction) read_continuation(body_, "input", answer_, notes_);
  }

  void keep_user_items(const Json& items) {
    for (const Json& item : items) {
      const bool is_users = item["type"] == "message" && item["role"] == "user";
      if (is_users) request_.user_items.push_back(item);
    }
  }

  /// Input and output of all earlier turns, in order.
  Json earlier_items() const {
    std::vector<const StoredResponse*> turns;
    std::size_t n_bytes = 0;
    std::size_t n_media_bytes = 0;
    for (const auto* turn = request_.previous.get(); turn; turn = turn->previous.get()) {
      turns.push_back(turn);
      n_bytes += turn->text_bytes();
      n_media_bytes += turn->media_bytes;
    }
    if (n_media_bytes > ResponseStore::kMaxMediaBytes) {
      throw RequestError(
          "previous_response_id",
          fmt::format("the media of the conversation have {}, more than the {} that are read "
                      "again",
                      format_bytes(n_media_bytes), format_bytes(ResponseStore::kMaxMediaBytes)));
    }
    if (n_bytes > ResponseStore::kMaxConversationBytes) {
      throw RequestError(
          "previous_response_id",
          fmt::format("the conversation has {}, more than the {} that are read again",
                      format_bytes(n_bytes), format_bytes(ResponseStore::kMaxConversationBytes)));
    }
    Json items = Json::array();
    std::for_each(turns.rbegin(), turns.rend(), [&](const StoredResponse* turn) {
      for (const std::string* text : {&turn->input_items, &turn->output_items}) {
        for (Json& item : parse_json(*text, "the stored response"))
          items.push_back(std::move(item));
      }
    });
    return items;
  }

  void read_sampling() {
    openai::read_sampling(body_, answer_);
    read_stop(body_, answer_);
    if (const auto most = read_token_limit(body_, "max_output_tokens")) {
      answer_.max_tokens = most;
      echo_["max_output_tokens"] = *most;
    } else {
      echo_["max_output_tokens"] = nullptr;
    }
    for (const std::string_view key : {"temperature", "top_p"}) {
      const Json* given = body_.value(key);
      echo_[std::string(key)] = given ? *given : Json(nullptr);
    }
    const std::string truncation =
        body_.one_of("truncation", {"auto", "disabled"}).value_or("disabled");
    answer_.truncate = truncation == "auto";
    echo_["truncation"] = truncation;
  }

  void read_tools() {
    Json& echoed = echo_["tools"] = Json::array();
    request_.tool_names =
        openai::read_tools(body_, ToolForm::flat, answer_, notes_, [&](const Json& tool) {
          Json& echo = echoed.emplace_back(tool);
          if (tool["type"] != "function") return;
          // As it is treated: OpenAI's own default is true, which would refuse what cannot be held.
          const Json& function = tool.contains("function") ? tool["function"] : tool;
          echo["strict"] = function.contains("strict") && function["strict"] == true;
          if (!echo.contains("parameters")) echo["parameters"] = nullptr;
        });
  }

  void read_tool_choice() {
    const Json* given = body_.value("tool_choice");
    echo_["parallel_tool_calls"] = true;
    echo_["tool_choice"] = given ? *given : Json("auto");
    openai::read_tool_choice(body_, ToolForm::flat, request_.tool_names.custom, answer_, notes_);
    echo_["parallel_tool_calls"] = answer_.tool_choice.parallel;
  }

  void read_format() {
    Json& echoed = echo_["text"] = {{"format", {{"type", "text"}}}};
    auto text = body_.child("text");
    if (!text) return;
    read_verbosity(*text, notes_);
    if (text->has("verbosity")) echoed["verbosity"] = "medium";
    if (auto format = text->child("format")) {
      echoed["format"] = *text->value("format");
      const auto type = format->one_of("type", {"text", "json_object", "json_schema"});
      if (!type) format->refuse("type", "\"text\", \"json_object\" or \"json_schema\"");
      if (*type == "json_object") answer_.format = Json("json");
      answer_.format_path = "text.format";
      if (*type == "json_schema") {
        read_schema(*format, answer_);
        if (!answer_.format) format->refuse("schema", "an object");
      }
      notes_.unknown(*format);
    }
    notes_.unknown(*text);
  }

  void read_reasoning() {
    Json& echoed = echo_["reasoning"] = {{"effort", nullptr}, {"summary", nullptr}};
    auto reasoning = body_.child("reasoning");
    if (!reasoning) return;
    read_effort(*reasoning, "effort", answer_);
    if (const Json* effort = reasoning->value("effort")) echoed["effort"] = *effort;
    // Thoughts are given as they are: the most detailed of summaries.
    for (const std::string_view key : {"summary", "generate_summary"}) {
      const auto summary = reasoning->one_of(key, {"auto", "concise", "detailed", "none"});
      if (!summary) continue;
      echoed["summary"] = "detailed";
      if (*summary == "none") {
        notes_.without_effect(*reasoning, key, "thoughts are given whole, where there are any");
      }
    }
    notes_.unknown(*reasoning);
  }

  void read_includes() {
    const auto includes = body_.texts("include", 16).value_or(std::vector<std::string>());
    bool wants_logprobs = false;
    for (std::size_t i = 0; i < includes.size(); ++i) {
      if (includes[i] == "message.output_text.logprobs") {
        wants_logprobs = true;
      } else if (includes[i] != "reasoning.encrypted_content") {
        notes_.left_out(element_path("include", i),
                        fmt::format("there is no {} here", describe(Json(includes[i]))));
      }
    }
    const auto top = body_.integer("top_logprobs", 0, kMaxTopLogprobs);
    wants_logprobs = wants_logprobs || top.value_or(0) > 0;
    if (wants_logprobs) answer_.sampling.n_logprobs = static_cast<int>(top.value_or(0));
    echo_["top_logprobs"] = top.value_or(0);
  }

  void read_rest() {
    read_labels(body_);
    const Json* metadata = body_.value("metadata");
    echo_["metadata"] = metadata ? *metadata : Json::object();
    for (const std::string_view key : {"user", "safety_identifier", "prompt_cache_key"}) {
      if (const Json* label = body_.value(key)) echo_[std::string(key)] = *label;
    }
    echo_["service_tier"] = "default";
    request_.background = body_.flag("background").value_or(false);
    echo_["background"] = request_.background;
    request_.store = body_.flag("store").value_or(true);
    echo_["store"] = request_.store;
    request_.stream = body_.flag("stream").value_or(false);
    answer_.call_pieces = request_.stream;
    (void)read_include_usage(body_, request_.stream, notes_);
    if (request_.background && !request_.store) {
      body_.refuse("background", "false, for \"store\" is false: nobody could fetch the answer");
    }
    refuse_given(body_, "conversation", "use previous_response_id");
    refuse_given(body_, "prompt", "there are no stored prompts");
    notes_.without_effect(body_, "max_tool_calls", "tools are run by the client, which may stop");
    notes_.without_effect(body_, "context_management", "use \"truncation\": \"auto\"");
    notes_.without_effect(body_, "moderation", "this server does not moderate");
    notes_.without_effect(body_, "prompt_cache_options", kCachedByContent);
    notes_.unknown(body_);
  }

  FieldReader body_;
  const ResponseUse use_;
  const KeptBefore& kept_;
  IdSource& ids_;
  RequestNotes notes_;
  ResponseRequest request_;
  serving::AnswerRequest& answer_;
  Json& echo_;
};

}  // namespace

ResponseRequest read_response_request(const Json& body, const KeptBefore& kept, IdSource& ids,
                                      SpareFields spare, ResponseUse use) {
  return ResponseReader(body, kept, ids, spare, use).read();
}

}  // namespace pleiad::api::openai
