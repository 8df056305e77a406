#include "apps/run/remote_answerer.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/common/picture_budget.h"
#include "apps/common/server_address.h"
#include "apps/run/media/saved_documents.h"
#include "apps/run/parameters.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/media_kind.h"
#include "serving/answers/reply_limits.h"

namespace pleiad::apps {
namespace {

using text::ReplyEvent;

double in_seconds(const Json& final, const char* key) {
  return static_cast<double>(final.value(key, std::int64_t{0})) / 1e9;
}

/// As a server takes it for what it is: by its content.
bool is_told_by_content(const AttachedMedia& media) {
  if (media.kind == ShownMedia::Kind::document) return true;  // is sent as one
  const auto kind = media::sniff_media(std::as_bytes(std::span(*media.bytes)));
  if (media.kind == ShownMedia::Kind::sound) return kind == media::MediaKind::sound;
  return media.kind != ShownMedia::Kind::video || kind == media::MediaKind::video;
}

/// An entry of "images": base64, or a document, in its place among them.
Json image_entry(const AttachedMedia& media) {
  const std::string data = encode_base64(*media.bytes);
  if (media.kind != ShownMedia::Kind::document) return data;
  Json document = {{"data", data}};
  if (!media.name.empty()) document["name"] = media.name;
  add_page_wishes(document, media.pages);
  return document;
}

/// A list of parts as the API has it: a text, and the media before it. A Failure where they stand
/// in another order.
Result<bool> take_parts_apart(Json& message, std::span<const AttachedMedia> media,
                              const std::string& where) {
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return true;
  std::string text;
  Json images = Json::array();
  for (const Json& part : *content) {
    const std::string type = part.value("type", "text");
    if (type == "text") {
      text += part.value("text", "");
    } else if (!part.contains("media")) {
      return Failure{fmt::format("{}: a part of type '{}' cannot be sent to a server", where,
                                 printable(type))};
    } else {
      const AttachedMedia& one = media[part["media"].get<std::size_t>()];
      if (!text.empty()) {
        return Failure{fmt::format(
            "{}: {} stands behind text, for which Ollama's API has no form; --local loads the "
            "model here",
            where, singular(one.kind))};
      }
      if (!is_told_by_content(one)) {
        return Failure{fmt::format(
            "{}: {} is no {} by its content, and a server goes by that; --local loads the model "
            "here",
            where, printable(one.name), singular(one.kind).substr(2))};
      }
      images.push_back(image_entry(one));
    }
  }
  *content = std::move(text);
  if (!images.empty()) message["images"] = std::move(images);
  return true;
}

/// Arguments as the API wants them: objects, not text.
Result<Json> to_ollama(const Json& messages, std::span<const AttachedMedia> media) {
  Json converted = messages;
  for (std::size_t i = 0; i < converted.size(); ++i) {
    Json& message = converted[i];
    if (auto apart = take_parts_apart(message, media, fmt::format("messages[{}]", i)); !apart) {
      return Failure{apart.message()};
    }
    if (message.contains("reasoning")) {
      message["thinking"] = message["reasoning"];
      message.erase("reasoning");
    }
    if (message.value("role", "") == "tool" && message.contains("name")) {
      message["tool_name"] = message["name"];
      message.erase("name");
    }
  }
  return converted;
}

/// One line of a streamed answer, told to the observer and added to the reply.
void take_part(const Json& part, ChatReply& reply, const ReplyObserver& observer) {
  const auto deliver = [&](ReplyEvent event) {
    if (observer.on_event) observer.on_event(event);
    reply.reply.add(std::move(event));
  };
  const Json& message = part.contains("message") ? part["message"] : part;
  const char* content_key = part.contains("message") ? "content" : "response";
  for (const auto& [key, kind] : {std::pair{"thinking", ReplyEvent::Kind::thinking},
                                  std::pair{content_key, ReplyEvent::Kind::content}}) {
    ReplyEvent event;
    event.kind = kind;
    event.text = message.value(key, "");
    if (!event.text.empty()) deliver(std::move(event));
  }
  for (const Json& call : message.value("tool_calls", Json::array())) {
    ReplyEvent event;
    event.kind = ReplyEvent::Kind::tool_call;
    event.name = call.at("function").value("name", "");
    event.arguments = call.at("function").value("arguments", Json::object());
    deliver(std::move(event));
  }
}

/// What the terminal says in words of its own: thought_note() and end_note().
bool is_told_at_the_terminal(std::string_view warning) {
  return warning.starts_with(serving::kThoughtEnded) || warning.starts_with(serving::kReplyEnded);
}

void take_final(const Json& part, ChatReply& reply) {
  const std::string reason = part.value("done_reason", "");
  reply.reason = reason == "length" ? FinishReason::length : FinishReason::stop_token;
  if (part.value("ended_by", "") == "repetition") reply.reason = FinishReason::repetition;
  if (const std::string why = part.value("thinking_ended_by", ""); !why.empty()) {
    using Why = EndedThought::Why;
    reply.ended_thought = EndedThought{why == "repetition" ? Why::repetition : Why::budget, 0};
  }
  for (std::string& warning : part.value("warnings", std::vector<std::string>())) {
    if (!is_told_at_the_terminal(warning)) reply.warnings.push_back(std::move(warning));
  }
  GenerationStats& stats = reply.stats;
  stats.prompt_tokens = part.value("prompt_eval_count", std::int64_t{0});
  stats.cached_tokens = part.value("prompt_eval_cached_count", std::int64_t{0});
  stats.generated_tokens = part.value("eval_count", std::int64_t{0});
  stats.forced_tokens = part.value("eval_forced_count", std::int64_t{0});
  stats.saved_steps = part.value("eval_saved_steps", std::int64_t{0});
  stats.prompt_seconds = in_seconds(part, "prompt_eval_duration");
  stats.generation_seconds = in_seconds(part, "eval_duration");
  for (const Json& one : part.value("media", Json::array())) {
    const std::string kind = one.value("kind", "");
    const auto clips = one.value("clips", std::int64_t{0});
    const auto add = [&](EncodeStats& of, std::int64_t n) {
      (one.value("cached", false) ? of.cached : of.encoded) += n;
    };
    if (kind == "document") {
      add(stats.media.pictures, one.value("picture_pages", std::int64_t{0}));
    } else if (kind != "sound") {
      add(stats.media.pictures, one.value("frames", std::int64_t{1}));
    }
    add(stats.media.sounds, clips);
  }
}

/// How media are shown, as far as somebody said it.
void add_wishes(Json& options, const MediaWishes& wishes) {
  const PictureBudget& budget = wishes.picture_budget;
  if (budget.automatic) options["max_soft_tokens"] = "auto";
  if (budget.tokens) options["max_soft_tokens"] = *budget.tokens;
  if (wishes.n_frames) options["num_frames"] = *wishes.n_frames;
  if (wishes.video_sound) options["use_audio_in_video"] = true;
}

/// What documents took, as the last line of an answer tells: one entry for each of the media.
void note_tokens(const Json& part, std::span<AttachedMedia> media) {
  const Json told = part.value("media", Json::array());
  for (std::size_t i = 0; i < std::min(media.size(), told.size()); ++i) {
    const bool is_document = told[i].value("kind", "") == "document";
    if (!is_document || media[i].kind != ShownMedia::Kind::document) continue;
    media[i].use.tokens = told[i].value("tokens", media[i].use.tokens);
    media[i].is_counted = true;
  }
}

}  // namespace

RemoteAnswerer::RemoteAnswerer(std::unique_ptr<client::HttpClient> server, std::string model,
                               const Json& shown, std::int64_t context_length,
                               const Environment& environment)
    : server_(std::move(server)), model_(std::move(model)), context_length_(context_length) {
  const Json details = shown.value("details", Json::object());
  const Json info = shown.value("model_info", Json::object());
  const std::string architecture = info.value("general.architecture", "gemma4");
  facts_.description =
      fmt::format("{} ({} {}), answered by the server at {}", printable(model_, std::string::npos),
                  printable(details.value("parameter_size", "")),
                  printable(details.value("quantization_level", "")), server_->address());
  facts_.backend = server_->address();
  supported_ = info.value(architecture + ".context_length", std::int64_t{0});
  facts_.context_length = context_length > 0 ? context_length : supported_;
  // What the server checks again: ids of tokens, say.
  facts_.vocab_size = info.value(architecture + ".vocab_size", std::size_t{262'144});
  facts_.home = environment.home;
  take_vision(shown);
  has_system_ = !shown.value("system", "").empty();
  take_parameters(shown.value("parameters", ""));
}

void RemoteAnswerer::take_vision(const Json& shown) {
  const Json abilities = shown.value("capabilities", Json::array());
  const auto can = [&](const char* ability) {
    return std::ranges::find(abilities, Json(ability)) != abilities.end();
  };
  VisionPrompt& vision = facts_.towers.vision;
  if (can("vision")) {
    facts_.picture_budget = shown_picture_budget(shown);
    vision.problem.clear();
    vision.default_budget = *facts_.picture_budget;
    vision.video = 0;  // the server knows the token
  } else {
    facts_.blind = fmt::format("has no vision tower at {}", server_->address());
    vision.problem = facts_.blind;
  }
  AudioPrompt& audio = facts_.towers.audio;
  audio.problem = can("audio") ? "" : fmt::format("has no audio tower at {}", server_->address());
}

Result<std::string> RemoteAnswerer::set_context_length(std::int64_t length) {
  if (Result<bool> fits = check_context_length(length, supported_); !fits) {
    return Failure{fits.message()};
  }
  context_length_ = facts_.context_length = length;
  return context_length_text(length);
}

// "temperature 0.5\nstop \"x\"\n...", as a Modelfile has them.
void RemoteAnswerer::take_parameters(const std::string& text) {
  ChatState state;
  std::istringstream lines(text);
  for (std::string name, value; lines >> name && std::getline(lines >> std::ws, value);) {
    // What only a server knows (num_ctx) is not ours to show.
    static_cast<void>(set_parameter(state, name, value, facts_.vocab_size));
  }
  defaults_ = state.generation;
}

Json RemoteAnswerer::options(const GenerationOptions& generation, const ReplyLimits& limits,
                             const std::vector<std::string>& stop) const {
  const sampling::SamplingOptions& sampling = generation.sampling;
  Json options = Json::object();
  const auto add = [&](const char* name, const Json& value) {
    if (chosen_.contains(name)) options[name] = value;
  };
  add("temperature", sampling.temperature);
  add("top_k", sampling.top_k);
  add("typical_p", sampling.typical_p);
  add("top_p", sampling.top_p);
  add("min_p", sampling.min_p);
  add("repeat_penalty", sampling.repeat_penalty);
  add("repeat_last_n", sampling.repeat_last_n);
  add("presence_penalty", sampling.presence_penalty);
  add("frequency_penalty", sampling.frequency_penalty);
  add("num_predict", generation.max_tokens);
  if (limits.thinking_level.empty()) {
    add("thinking_budget", limits.thinking_budget.value_or(-1));
  }
  add("repetition_guard", limits.repetition_guard);
  add("seed", sampling.seed ? Json(*sampling.seed) : Json(-1));
  add("stop", stop);
  if (context_length_ > 0) options["num_ctx"] = context_length_;
  return options;
}

Result<ChatReply> RemoteAnswerer::stream(const std::string& path, Json body,
                                         std::span<AttachedMedia> media,
                                         const ReplyObserver& observer) {
  if (!keep_alive_.empty()) body["keep_alive"] = keep_alive_;
  ChatReply reply;
  reply.reason = FinishReason::cancelled;  // until the last part says something else
  std::string failed;
  client::HttpObserver follow;
  follow.wants_more = observer.wants_more;
  follow.on_line = [&](std::string_view line) {
    const Json part = parse_json(line, server_->address());
    if (part.contains("error")) {
      failed =
          part["error"].is_string() ? part["error"].get<std::string>() : to_text(part["error"]);
      return false;
    }
    take_part(part, reply, observer);
    if (part.value("done", false)) {
      take_final(part, reply);
      note_tokens(part, media);
      load_seconds_ = in_seconds(part, "load_duration");
    }
    return true;
  };
  const client::HttpAnswer answer = server_->request("POST", path, body, follow);
  if (answer.status != 0 && answer.status != 200) return Failure{client::error_text(answer)};
  if (!failed.empty()) throw Error("{}", printable(failed, 1000));
  return reply;
}

// The server makes the prompt alone, for which it loads no model.
std::optional<std::int64_t> RemoteAnswerer::document_tokens(const AttachedMedia& document,
                                                            const MediaWishes& wishes) {
  Json body = {{"model", model_},
               {"messages", Json::array({Json{{"role", "user"},
                                              {"content", ""},
                                              {"images", Json::array({image_entry(document)})}}})},
               {"options", Json::object()},
               {"stream", false},
               {"_debug_render_only", true}};
  add_wishes(body["options"], wishes);
  client::HttpObserver follow;
  follow.wants_more = [] { return !InterruptGuard::pressed(); };
  const client::HttpAnswer answer = server_->request("POST", "/api/chat", body, follow);
  if (answer.status != 200) return std::nullopt;  // the answer itself says why
  const Json told = parse_json(answer.body, server_->address()).value("media", Json::array());
  if (told.size() != 1 || !told[0].is_object() || !told[0].contains("tokens")) return std::nullopt;
  return told[0].value("tokens", std::int64_t{0});
}

namespace {

/// A level as its word, of which the server takes as much as there is room for.
Json think(const ChatRequest& request) {
  const std::string& level = request.limits.thinking_level;
  return request.think && !level.empty() ? Json(level) : Json(request.think);
}

}  // namespace

Result<ChatReply> RemoteAnswerer::chat(const ChatRequest& request, const ShownAttachments& shown,
                                       const ReplyObserver& observer) {
  Result<Json> said = to_ollama(request.messages, shown.media);
  if (!said) return Failure{said.message()};
  Json body = {{"model", model_},
               {"messages", std::move(said).value()},
               {"think", think(request)},
               {"options", options(request.generation, request.limits, request.stop)}};
  // Without a system message the server would take the model's.
  Json& messages = body["messages"];
  if (has_system_ && chose_system_ &&
      (messages.empty() || messages[0].value("role", "") != "system")) {
    messages.insert(messages.begin(), Json{{"role", "system"}, {"content", ""}});
  }
  if (!request.tools.empty()) body["tools"] = request.tools;
  if (!request.format.is_null()) body["format"] = request.format;
  add_wishes(body["options"], shown.wishes);
  return stream("/api/chat", std::move(body), shown.media, observer);
}

ChatReply RemoteAnswerer::complete(const std::string& prompt, const GenerationOptions& generation,
                                   const ReplyLimits& limits, const std::vector<std::string>& stop,
                                   const ReplyObserver& observer) {
  Result<ChatReply> reply = stream("/api/generate",
                                   {{"model", model_},
                                    {"prompt", prompt},
                                    {"raw", true},
                                    {"options", options(generation, limits, stop)}},
                                   {}, observer);
  if (!reply) throw Error("{}", reply.message());
  return std::move(reply).value();
}

ModelFacts RemoteAnswerer::facts() const { return facts_; }

std::vector<std::pair<std::string, std::string>> RemoteAnswerer::details() const {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("server", server_->address());
  lines.emplace_back("load", load_seconds_ > 0 ? format_seconds(load_seconds_) : "it was loaded");
  return lines;
}

std::unique_ptr<RemoteAnswerer> find_server_for(const std::string& model,
                                                std::int64_t context_length,
                                                const Environment& environment) {
  // The server runs in another folder: a path must mean the same there.
  std::error_code error;
  const bool is_path = std::filesystem::exists(model, error);
  std::unique_ptr<client::HttpClient> server;
  try {
    server = find_server(environment);
  } catch (const ServerRefusal& refused) {
    if (is_path) return nullptr;  // a server with keys opens none
    throw Error("{}; with --local the model is loaded here, a second time where the server has it",
                refused.what());
  }
  if (!server) return nullptr;
  const std::string name = is_path ? std::filesystem::absolute(model, error).string() : model;
  const client::HttpAnswer shown = server->request("POST", "/api/show", {{"model", name}});
  if (shown.status != 200) return nullptr;
  const Json answer = parse_json(shown.body, server->address());
  return std::make_unique<RemoteAnswerer>(std::move(server), name, answer, context_length,
                                          environment);
}

}  // namespace pleiad::apps
