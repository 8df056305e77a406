#include "apps/logits/prompt_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/common/frame_list.h"
#include "apps/common/picture_budget.h"
#include "apps/media/helper.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "engine/loaded_model.h"
#include "media/reader.h"
#include "serving/media/show_media.h"
#include "text/chat_template.h"

namespace pleiad::apps {
namespace {

using ShownKind = ShownMedia::Kind;

/// "image", "audio" or "video": the type of a part, and where it has its path.
std::optional<ShownKind> kind_of_type(std::string_view type) {
  if (type == "image") return ShownKind::picture;
  if (type == "audio") return ShownKind::sound;
  if (type == "video") return ShownKind::video;
  return std::nullopt;
}

/// Takes media out of the parts of a conversation; the first complaint is kept.
class PartTaker {
 public:
  explicit PartTaker(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::vector<PromptFileMedia> media;
  std::string failure;

  /// Puts a number in the place of what a part brings.
  void take(Json& part, const std::string& field) {
    const std::string type = part.value("type", "");
    const std::optional<ShownKind> kind = kind_of_type(type);
    if (!kind || part.contains("media")) return;
    PromptFileMedia taken;
    taken.kind = *kind;
    taken.field = field;
    check_keys(part, type, taken);
    take_paths(part, type, taken);
    if (part.contains("budget")) take_budget(part, taken);
    if (taken.kind == ShownKind::video) take_wishes(part, taken);
    part = {{"type", type}, {"media", media.size()}};
    media.push_back(std::move(taken));
  }

 private:
  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    if (failure.empty()) failure = fmt::format(format, std::forward<Args>(args)...);
  }

  /// What would not be looked at is a mistake.
  void check_keys(const Json& part, const std::string& type, const PromptFileMedia& taken) {
    for (const auto& [key, value] : part.items()) {
      const bool is_of_video = key == "frames" || key == "sound" || key == "fps";
      if (key == "type" || key == type || (key == "budget" && taken.kind != ShownKind::sound) ||
          (is_of_video && taken.kind == ShownKind::video)) {
        continue;
      }
      fail("{}.{}: means nothing for {}", taken.field, printable(key), singular(taken.kind));
    }
  }

  void take_paths(const Json& part, const std::string& type, PromptFileMedia& taken) {
    const Json path = part.contains(type) ? part.at(type) : Json();
    if (path.is_string()) {
      taken.paths.push_back(folder_ / path.get<std::string>());
      if (part.contains("fps")) fail("{}.fps: is that of a list of frames", taken.field);
      return;
    }
    if (taken.kind != ShownKind::video) {
      return fail("{}.{}: expected the path of {}", taken.field, type, singular(taken.kind));
    }
    const bool is_list =
        path.is_array() && !path.empty() &&
        std::all_of(path.begin(), path.end(), [](const Json& one) { return one.is_string(); });
    if (!is_list) {
      return fail("{}.video: expected the path of a video, or a list of the paths of its frames",
                  taken.field);
    }
    for (const Json& one : path) taken.paths.push_back(folder_ / one.get<std::string>());
    const Json fps = part.contains("fps") ? part.at("fps") : Json();
    taken.fps = fps.is_number() ? fps.get<double>() : 0;
    if (!(*taken.fps >= media::kMinFps && *taken.fps <= media::kMaxFps)) {
      fail("{}.fps: expected how many of the frames stand for a second", taken.field);
    }
  }

  void take_budget(const Json& part, PromptFileMedia& taken) {
    const Json& budget = part.at("budget");
    if (budget.is_string()) taken.budget = budget.get<std::string>();
    if (budget.is_number_integer()) taken.budget = std::to_string(budget.get<std::int64_t>());
    const auto read = read_picture_budget(taken.budget);
    if (!read) return fail("{}.budget: {}", taken.field, read.message());
    if (taken.kind == ShownKind::video && read.value().automatic) {
      fail("{}.budget: expected a number for a video, found '{}'", taken.field, taken.budget);
    }
  }

  void take_wishes(const Json& part, PromptFileMedia& taken) {
    if (part.contains("frames")) {
      const Json& frames = part.at("frames");
      constexpr std::int64_t kMost = 10'000;
      const auto n = frames.is_number_integer() ? frames.get<std::int64_t>() : 0;
      if (n < 1 || n > kMost) return fail("{}.frames: expected a number of frames", taken.field);
      taken.n_frames = static_cast<int>(n);
    }
    if (!part.contains("sound")) return;
    if (!part.at("sound").is_boolean())
      return fail("{}.sound: expected true or false", taken.field);
    taken.with_sound = part.at("sound").get<bool>();
    if (taken.with_sound && taken.fps) fail("{}.sound: a list of frames has none", taken.field);
  }

  std::filesystem::path folder_;
};

std::string file_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  return read_unchanged(file, [&] {
    return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  });
}

template <typename Prepared>
Prepared read_or_throw(const PromptFileMedia& media, Result<Prepared> prepared) {
  if (prepared) return std::move(prepared).value();
  throw Error("{}: {}: {}", media.field, media.paths.front().string(), prepared.message());
}

media::PreparedVideo read_prompt_video(const PromptFileMedia& media, media::MediaReader& reader,
                                       const VisionPrompt& vision) {
  media::VideoOptions options;
  options.n_frames = media.n_frames.value_or(vision.video_frames);
  options.budget = vision.video_budget;
  // That of a video is a number, which was read before.
  if (!media.budget.empty()) options.budget = *read_picture_budget(media.budget).value().tokens;
  options.sound = media.with_sound;
  if (media.fps) return read_frame_list(media.paths, *media.fps, options, reader);
  const MappedFile file(media.paths.front());
  return read_or_throw(media, reader.prepare_video(file.bytes(), options));
}

ShownMedia prepare(const PromptFileMedia& media, media::MediaReader& reader,
                   const PromptTowers& towers) {
  const serving::MediaHold hold = serving::plain_hold();
  if (media.kind == ShownKind::video) {
    return serving::show(read_prompt_video(media, reader, towers.vision), towers, hold);
  }
  const MappedFile file(media.paths.front());
  if (media.kind == ShownKind::sound) {
    ShownMedia shown = serving::show(read_or_throw(media, reader.prepare_sound(file.bytes(), {})),
                                     towers.audio, hold);
    if (shown.parts.empty()) {
      throw Error("{}: {}: is too short to be heard", media.field, media.paths.front().string());
    }
    return shown;
  }
  const PictureBudget budget =
      media.budget.empty() ? PictureBudget() : read_picture_budget(media.budget).value();
  return serving::show(
      read_or_throw(media, reader.prepare_picture(file.bytes(),
                                                  {budget.of_model(towers.vision.default_budget)})),
      towers.vision, hold);
}

/// Before anything is read.
void check_towers(const std::filesystem::path& file, const PromptFile& prompt,
                  const PromptTowers& towers, const std::string& model) {
  for (const PromptFileMedia& media : prompt.media) {
    std::string problem = problem_with(towers, media.kind);
    if (problem.empty() && media.with_sound) problem = problem_with(towers, ShownKind::sound);
    if (problem.empty()) continue;
    throw Error("{}: {}: {} {}", file.string(), media.field, model, problem);
  }
}

}  // namespace

Result<PromptFile> parse_prompt_file(std::string_view json, const std::filesystem::path& file) {
  auto parsed = read_json(json, {});
  if (!parsed) return Failure{parsed.message()};
  Json input = std::move(parsed).value();
  if (!input.is_object()) return Failure{"expected an object with \"messages\""};
  PartTaker taker(file.parent_path());
  if (input.contains("messages") && input.at("messages").is_array()) {
    for (std::size_t i = 0; i < input.at("messages").size(); ++i) {
      Json& message = input.at("messages").at(i);
      if (!message.is_object() || !message.contains("content")) continue;
      Json& content = message.at("content");
      for (std::size_t k = 0; content.is_array() && k < content.size(); ++k) {
        Json& part = content.at(k);
        if (part.is_object() && part.contains("type") && part.at("type").is_string()) {
          taker.take(part, fmt::format("messages[{}].content[{}]", i, k));
        }
      }
    }
  }
  if (!taker.failure.empty()) return Failure{taker.failure};
  if (!input.contains("add_generation_prompt")) input["add_generation_prompt"] = true;
  auto chat = text::parse_chat_input(input);
  if (!chat) return Failure{chat.message()};
  std::vector<ShownKind> kinds;
  for (const PromptFileMedia& media : taker.media) kinds.push_back(media.kind);
  if (const auto error = chat_media_error(chat.value(), kinds)) return Failure{*error};
  return PromptFile{std::move(chat).value(), std::move(taker.media)};
}

PromptFileTokens read_prompt_file(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const auto parsed = parse_prompt_file(file_text(file), file);
  if (!parsed) throw Error("{}: {}", file.string(), parsed.message());
  const PromptFile& prompt = parsed.value();
  const PromptTowers towers = prompt_towers(checkpoint);
  check_towers(file, prompt, towers, checkpoint.config().name);
  std::vector<ShownMedia> media;
  media::MediaReader reader(own_media_helper(), {});
  for (const PromptFileMedia& one : prompt.media) media.push_back(prepare(one, reader, towers));
  const text::Tokenizer tokenizer = load_tokenizer(checkpoint);
  const text::Prompt rendered =
      text::render_chat(template_family(checkpoint.config()), prompt.chat);
  text::EncodeLimit limit;
  limit.wants_them = true;
  MediaPrompt expanded =
      expand_media(tokenizer.encode(with_parts(rendered, media), limit), towers, media);
  PromptFileTokens result;
  result.tokens = std::move(expanded.encoding.tokens);
  result.media = prompt_media(expanded.spans, media);
  return result;
}

}  // namespace pleiad::apps
