#include "apps/logits/prompt_file.h"

#include <map>
#include <optional>
#include <utility>

#include "apps/common/picture_budget.h"
#include "apps/media/helper.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "engine/loaded_model.h"
#include "engine/media/media_prompt.h"
#include "media/reader.h"
#include "text/chat_template.h"

namespace pleiad::apps {
namespace {

/// Takes the picture out of a part and puts its number in.
Result<PromptFilePicture> take_picture(Json& part, const std::filesystem::path& folder,
                                       std::string field, std::size_t number) {
  PromptFilePicture picture;
  if (!part.contains("image") || !part.at("image").is_string()) {
    return Failure{fmt::format("{}.image: expected the path of a picture", field)};
  }
  picture.path = folder / part.at("image").get<std::string>();
  if (part.contains("budget")) {
    const Json& budget = part.at("budget");
    if (budget.is_string()) picture.budget = budget.get<std::string>();
    if (budget.is_number_integer()) picture.budget = std::to_string(budget.get<std::int64_t>());
    if (const auto read = read_picture_budget(picture.budget); !read) {
      return Failure{fmt::format("{}.budget: {}", field, read.message())};
    }
  }
  picture.field = std::move(field);
  part = {{"type", "image"}, {"media", number}};
  return picture;
}

std::string file_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  return read_unchanged(file, [&] {
    return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  });
}

std::shared_ptr<const PictureInput> prepare(const PromptFilePicture& picture,
                                            media::MediaReader& reader, int default_budget) {
  const PictureBudget budget =
      picture.budget.empty() ? PictureBudget() : read_picture_budget(picture.budget).value();
  const MappedFile file(picture.path);
  auto prepared = reader.prepare_picture(file.bytes(), {budget.of_model(default_budget)});
  if (!prepared) {
    throw Error("{}: {}: {}", picture.field, picture.path.string(), prepared.message());
  }
  media::Pixels& pixels = prepared.value().pixels;
  return std::make_shared<const PictureInput>(
      make_picture_input(pixels.size.width, pixels.size.height, std::move(pixels.rgb)));
}

}  // namespace

Result<PromptFile> parse_prompt_file(std::string_view json, const std::filesystem::path& file) {
  auto parsed = read_json(json, {});
  if (!parsed) return Failure{parsed.message()};
  Json input = std::move(parsed).value();
  if (!input.is_object()) return Failure{"expected an object with \"messages\""};
  PromptFile prompt;
  if (input.contains("messages") && input.at("messages").is_array()) {
    for (std::size_t i = 0; i < input.at("messages").size(); ++i) {
      Json& message = input.at("messages").at(i);
      if (!message.is_object() || !message.contains("content")) continue;
      Json& content = message.at("content");
      for (std::size_t k = 0; content.is_array() && k < content.size(); ++k) {
        Json& part = content.at(k);
        if (!part.is_object() || part.value("type", "") != "image") continue;
        auto picture =
            take_picture(part, file.parent_path(), fmt::format("messages[{}].content[{}]", i, k),
                         prompt.pictures.size());
        if (!picture) return Failure{picture.message()};
        prompt.pictures.push_back(std::move(picture).value());
      }
    }
  }
  if (!input.contains("add_generation_prompt")) input["add_generation_prompt"] = true;
  auto chat = text::parse_chat_input(input);
  if (!chat) return Failure{chat.message()};
  const std::vector<ShownMedia::Kind> kinds(prompt.pictures.size(), ShownMedia::Kind::picture);
  const auto error = chat_media_error(chat.value(), kinds);
  if (error) return Failure{*error};
  prompt.chat = std::move(chat).value();
  return prompt;
}

PromptFileTokens read_prompt_file(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const auto parsed = parse_prompt_file(file_text(file), file);
  if (!parsed) throw Error("{}: {}", file.string(), parsed.message());
  const PromptFile& prompt = parsed.value();
  const PromptTowers towers = prompt_towers(checkpoint);
  const VisionPrompt& vision = towers.vision;
  if (!prompt.pictures.empty() && !vision.sees()) {
    throw Error("{}: {}: {} {}", file.string(), prompt.pictures.front().field,
                checkpoint.config().name, vision.problem);
  }
  std::vector<ShownMedia> media;
  media::MediaReader reader(own_media_helper(), {});
  for (const PromptFilePicture& picture : prompt.pictures) {
    media.push_back(shown_picture(prepare(picture, reader, vision.default_budget), vision));
  }
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
