#include "api/anthropic/messages_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/anthropic/message_blocks.h"
#include "api/anthropic/thread_field.h"
#include "api/common/field_reader.h"
#include "api/common/local_fields.h"
#include "api/common/offered_tools.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/thinking_fields.h"
#include "api/common/tool_choice.h"

namespace pleiad::api::anthropic {
namespace {

constexpr std::size_t kMaxStopSequences = 16;
constexpr std::int64_t kLeastBudget = 1024;

class MessagesReader {
 public:
  MessagesReader(const Json& json, SpareFields spare)
      : body_(json), notes_(spare), answer_(request_.answer) {}

  MessagesRequest read_answer() {
    read_prompt();
    const auto most = body_.integer("max_tokens", 1, kMaxTokens);
    if (!most) body_.refuse("max_tokens", "an integer of at least 1");
    read_extensions(body_, answer_, notes_.warnings());  // before what overrules `options`
    read_local_fields(body_, answer_, notes_);
    answer_.max_tokens = most;
    read_sampling();
    request_.stream = body_.flag("stream").value_or(false);
    answer_.call_pieces = request_.stream;
    read_labels();
    notes_.unknown(body_);
    request_.warnings = notes_.take();
    return std::move(request_);
  }

  MessagesRequest read_count() {
    read_prompt();
    (void)body_.integer("max_tokens", 1, kMaxTokens);
    read_extensions(body_, answer_, notes_.warnings());
    read_local_fields(body_, answer_, notes_);
    read_labels();
    notes_.unknown(body_);
    request_.warnings = notes_.take();
    return std::move(request_);
  }

 private:
  void read_prompt() {
    answer_.model = body_.required_text("model");
    read_thread(body_, notes_);  // before messages, of which the half may be missing
    MediaReader media(notes_);
    answer_.messages = read_messages(body_, media, request_.sources, notes_);
    answer_.media = media.take();
    read_tools();
    read_tool_choice();
    read_thinking();
    read_output_config();
    read_context_management();
  }

  void read_sampling() {
    serving::SamplingRequest& sampling = answer_.sampling;
    if (const auto value = body_.number("temperature", 0, 1)) sampling.temperature = value;
    if (const auto value = body_.number("top_p", 0, 1)) sampling.top_p = value;
    if (sampling.top_p == 0.0) sampling.top_p = kLikeliestAlone;
    if (const auto value = body_.integer("top_k", 0, 1'000'000)) {
      sampling.top_k = static_cast<int>(*value);
    }
    auto stop = body_.texts("stop_sequences", kMaxStopSequences);
    if (!stop) return;
    if (std::find(stop->begin(), stop->end(), "") != stop->end()) {
      throw RequestError("stop_sequences", "a stop sequence must not be empty");
    }
    answer_.stop = std::move(stop);
  }

  void read_tools() {
    const Json* tools = body_.list("tools", kMaxTools);
    for (std::size_t i = 0; tools && i < tools->size(); ++i) {
      FieldReader tool((*tools)[i], element_path("tools", i));
      if (const auto type = tool.text("type"); type && *type != "custom") {
        notes_.left_out(tool.path_of("type"),
                        "tools are run by the client, and there are no others; the model does not "
                        "see it");
        continue;
      }
      Json function = {{"name", tool.required_text("name")}};
      if (function["name"] == "") tool.refuse("name", "a name that is not empty");
      if (auto description = tool.text("description")) function["description"] = *description;
      const Json* schema = tool.object("input_schema");
      if (!schema) tool.refuse("input_schema", "an object");
      function["parameters"] = *schema;
      if (tool.flag("strict").value_or(false)) function["strict"] = true;
      skip_tool_hints(tool);
      offer_tool(answer_, {{"type", "function"}, {"function", std::move(function)}},
                 tool.path_of("input_schema"), tool.path_of("name"));
    }
  }

  /// Arguments come as they are written in any case, and the client runs the tools.
  void skip_tool_hints(FieldReader& tool) {
    (void)tool.flag("eager_input_streaming");
    (void)tool.object("cache_control");
    if (tool.flag("defer_loading").value_or(false)) {
      tool.refuse("defer_loading", "false: there is no search for tools");
    }
    for (const std::string& caller :
         tool.texts("allowed_callers", 16).value_or(std::vector<std::string>())) {
      if (caller != "direct") tool.refuse("allowed_callers", "[\"direct\"]");
    }
    notes_.unknown(tool);
  }

  void read_tool_choice() {
    using Kind = serving::ToolChoice::Kind;
    auto given = body_.child("tool_choice");
    if (!given) return;
    serving::ToolChoice& choice = answer_.tool_choice;
    const auto type = given->one_of("type", {"auto", "any", "tool", "none"});
    if (!type) given->refuse("type", "\"auto\", \"any\", \"tool\" or \"none\"");
    choice.parallel = !given->flag("disable_parallel_tool_use").value_or(false);
    if (*type == "none") choice.kind = Kind::none;
    if (*type == "any") choice.kind = Kind::required;
    if (*type == "tool") {
      choice.kind = Kind::named;
      choice.name = given->required_text("name");
    }
    notes_.unknown(*given);
    check_tool_choice(body_, answer_, "tool_choice", "tool_choice.name");
  }

  void read_thinking() {
    auto thinking = body_.child("thinking");
    if (!thinking) return;
    const auto type = thinking->one_of("type", {"enabled", "disabled", "adaptive"});
    if (!type) thinking->refuse("type", "\"enabled\", \"disabled\" or \"adaptive\"");
    answer_.think = *type != "disabled";
    const auto budget = thinking->integer("budget_tokens", kLeastBudget, kMaxTokens);
    if (*type == "enabled" && !budget) {
      thinking->refuse("budget_tokens", fmt::format("an integer of at least {}", kLeastBudget));
    }
    if (*answer_.think && budget) {
      set_thinking_budget(answer_, thinking->path_of("budget_tokens"), *budget);
    }
    request_.shows_thinking =
        thinking->one_of("display", {"summarized", "omitted"}).value_or("summarized") != "omitted";
    notes_.unknown(*thinking);
  }

  void read_output_config() {
    auto config = body_.child("output_config");
    if (config) {
      const auto effort = config->one_of("effort", {"low", "medium", "high", "xhigh", "max"});
      // Of a thought that has no budget of its own; it turns none on.
      if (effort && answer_.think.value_or(false)) {
        set_thinking_level(answer_, config->path_of("effort"), *effort);
      } else if (effort) {
        notes_.told(config->path_of("effort"), "has no effect: thinking is off");
      }
      read_format(config->child("format"));
      notes_.unknown(*config);
    }
    const std::optional<Json> format = answer_.format;
    read_format(body_.child("output_format"));  // its name in older clients
    if (format && *format != *answer_.format) {
      throw RequestError("output_format", "differs from output_config.format; give one of them");
    }
  }

  void read_format(std::optional<FieldReader> format) {
    if (!format) return;
    if (!format->one_of("type", {"json_schema"})) format->refuse("type", "\"json_schema\"");
    const Json* schema = format->object("schema", "a JSON schema, which is an object");
    if (!schema) format->refuse("schema", "an object");
    if (request_.sources.any()) {
      throw RequestError(format->path_of("schema"),
                         "citations part an answer into blocks, and JSON cannot be parted: leave "
                         "out the format, or citations.enabled");
    }
    answer_.format = *schema;
    answer_.format_path = format->path_of("schema");
    notes_.unknown(*format);
  }

  /// Earlier thoughts are never shown to the models again, so clearing them is done.
  void read_context_management() {
    auto management = body_.child("context_management");
    if (!management) return;
    const Json* edits = management->list("edits", 16);
    for (std::size_t i = 0; edits && i < edits->size(); ++i) {
      FieldReader edit((*edits)[i], element_path("context_management.edits", i));
      const std::string type = edit.required_text("type");
      if (type.rfind("clear_thinking_", 0) != 0) {
        notes_.left_out(edit.path_of("type"), "the client shortens what it sends");
      }
    }
    notes_.unknown(*management);
  }

  /// About the caller, the bill or the cache, which works by itself; not about the answer.
  void read_labels() {
    if (auto metadata = body_.child("metadata")) {
      (void)metadata->text("user_id");
      notes_.unknown(*metadata);
    }
    (void)body_.object("cache_control");
    (void)body_.one_of("service_tier", {"auto", "standard_only"});
    (void)body_.one_of("speed", {"standard", "fast"});
    for (const std::string_view key : {"inference_geo", "user_profile_id", "workspace_id"}) {
      (void)body_.text(key);
    }
    (void)body_.texts("betas", 64);
  }

  FieldReader body_;
  RequestNotes notes_;
  MessagesRequest request_;
  serving::AnswerRequest& answer_;
};

}  // namespace

MessagesRequest read_messages_request(const Json& body, SpareFields spare) {
  return MessagesReader(body, spare).read_answer();
}

MessagesRequest read_count_request(const Json& body, SpareFields spare) {
  return MessagesReader(body, spare).read_count();
}

}  // namespace pleiad::api::anthropic
