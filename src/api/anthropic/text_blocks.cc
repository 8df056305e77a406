#include "api/anthropic/text_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "api/anthropic/media_blocks.h"
#include "api/common/media.h"

namespace pleiad::api::anthropic {
namespace {

constexpr std::string_view kBetween = "\n\n";

/// Whether answers cite what stands in the block.
bool read_citations(FieldReader& block, RequestNotes& notes) {
  auto citations = block.child("citations");
  if (!citations) return false;
  const bool is_cited = citations->flag("enabled").value_or(false);
  notes.unknown(*citations);
  return is_cited;
}

/// The texts of a list of text blocks; or the string alone.
std::vector<std::string> content_texts(FieldReader& holder, RequestNotes& notes) {
  const Json content = read_texts(holder, "content", notes);
  if (content.is_null()) holder.refuse("content", "a string or a list of text blocks");
  if (content.is_string()) return {content.get<std::string>()};
  std::vector<std::string> texts;
  for (const Json& part : content) texts.push_back(part["text"].get<std::string>());
  return texts;
}

/// One below the other.
std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "\n"));
}

/// The text of a document's source, which `sources` is told.
std::string read_source(FieldReader& block, const std::optional<std::string>& title,
                        CitedSources& sources, RequestNotes& notes) {
  auto source = block.child("source");
  if (!source) block.refuse("source", "an object");
  const std::string type = source->required_text("type");
  const bool is_cited = read_citations(block, notes);
  std::string text;
  if (type == "text") {
    (void)source->one_of("media_type", {"text/plain"});
    text = source->required_text("data");
    sources.add_text(title, text, is_cited);
  } else if (type == "content") {
    std::vector<std::string> texts = content_texts(*source, notes);
    text = joined(texts);
    sources.add_blocks(title, std::move(texts), is_cited);
  } else {
    source->refuse("type", "\"text\", \"content\", \"base64\" or \"url\"");
  }
  notes.unknown(*source);
  return text;
}

/// <NAME>TEXT</NAME> on a line of its own; nothing where there is no text.
std::string element(std::string_view name, const std::optional<std::string>& text) {
  return text && !text->empty() ? fmt::format("<{0}>{1}</{0}>\n", name, *text) : std::string();
}

std::string read_document(FieldReader& block, CitedSources& sources, RequestNotes& notes) {
  const std::optional<std::string> title = block.text("title");
  const std::string context = element("context", block.text("context"));
  const std::string text = read_source(block, title, sources, notes);
  return fmt::format("<document>\n{}{}{}\n</document>", element("title", title), context, text);
}

std::string read_search_result(FieldReader& block, CitedSources& sources, RequestNotes& notes) {
  std::string source = block.required_text("source");
  std::string title = block.required_text("title");
  std::vector<std::string> texts = content_texts(block, notes);
  const std::string shown =
      fmt::format("<search_result>\n{}{}{}\n</search_result>", element("source", source),
                  element("title", title), joined(texts));
  sources.add_search_result(std::move(source), std::move(title), std::move(texts),
                            read_citations(block, notes));
  return shown;
}

Json read_list(FieldReader& holder, std::string_view key, bool texts_alone, MediaReader* media,
               CitedSources* sources, RequestNotes& notes) {
  const Json* content = holder.value(key);
  if (!content) return nullptr;
  if (content->is_string()) return *content;
  if (!content->is_array()) holder.refuse(key, "a string or a list of blocks");
  TextParts texts(media, sources, notes);
  for (std::size_t i = 0; i < content->size(); ++i) {
    const std::string path = element_path(holder.path_of(key), i);
    FieldReader block((*content)[i], path);
    const std::string type = block_type(block);
    if (texts_alone && type != "text") refuse_block(block, path, type, "\"text\"");
    if (!texts.add(block, path, type)) {
      refuse_block(block, path, type, "\"text\", \"image\", \"document\" or \"search_result\"");
    }
  }
  return texts.empty() ? Json(nullptr) : texts.take();
}

}  // namespace

std::string block_type(FieldReader& block) {
  (void)block.object("cache_control");  // prompts are cached anyhow
  return block.required_text("type");
}

void refuse_block(FieldReader& block, const std::string& path, const std::string& type,
                  std::string_view expected) {
  if (const auto kind = media_kind(type); !kind.empty()) refuse_media(path, kind);
  block.refuse("type", expected);
}

std::string read_text_block(FieldReader& block, RequestNotes& notes) {
  (void)block.list("citations");
  std::string text = block.required_text("text");
  notes.unknown(block);
  return text;
}

bool TextParts::add(FieldReader& block, const std::string& path, const std::string& type) {
  if (type == "text") {
    std::string text = read_text_block(block, notes_);
    if (ends_apart_) {
      add_apart(std::move(text));
    } else {
      parts_.push_back({{"type", "text"}, {"text", std::move(text)}});
    }
    ends_apart_ = false;
    return true;
  }
  if (type == "image" && media_) {
    parts_.push_back(read_image(block, path, *media_, notes_));
    ends_apart_ = false;
    return true;
  }
  if (type == "document" && media_ && is_file(block)) {
    add_file(block, path);
    return true;
  }
  if (type != "document" && type != "search_result") return false;
  CitedSources nobodys;
  CitedSources& sources = sources_ ? *sources_ : nobodys;
  std::string text = type == "document" ? read_document(block, sources, notes_)
                                        : read_search_result(block, sources, notes_);
  notes_.unknown(block);
  add_apart(std::move(text));
  ends_apart_ = true;
  return true;
}

/// What is said about it stands before it: a document's own text begins with its title.
void TextParts::add_file(FieldReader& block, const std::string& path) {
  const std::string context = element("context", block.text("context"));
  if (!context.empty()) add_apart(context);
  parts_.push_back(read_document_file(block, path, *media_, notes_));
  const bool is_cited = read_citations(block, notes_);
  media_->last().tells_text = is_cited;
  if (sources_) {
    sources_->add_file(block.text("title"), parts_.back()["media"].get<std::size_t>(), is_cited);
  }
  notes_.unknown(block);
  ends_apart_ = false;
}

void TextParts::add_apart(std::string text) {
  if (!ends_in_text()) {
    parts_.push_back({{"type", "text"}, {"text", std::move(text)}});
    return;
  }
  auto& last = parts_.back()["text"].get_ref<std::string&>();
  if (!last.empty()) last += kBetween;
  last += text;
}

Json TextParts::take() {
  ends_apart_ = false;
  Json parts = std::exchange(parts_, Json::array());
  if (parts.size() == 1 && parts[0]["type"] == "text") return std::move(parts[0]["text"]);
  return parts;
}

Json read_texts(FieldReader& holder, std::string_view key, RequestNotes& notes) {
  return read_list(holder, key, true, nullptr, nullptr, notes);
}

Json read_blocks(FieldReader& holder, std::string_view key, MediaReader& media,
                 CitedSources& sources, RequestNotes& notes) {
  return read_list(holder, key, false, &media, &sources, notes);
}

}  // namespace pleiad::api::anthropic
