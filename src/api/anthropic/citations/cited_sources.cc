#include "api/anthropic/citations/cited_sources.h"

#include <utility>

#include "base/utf8.h"

namespace pleiad::api::anthropic {
namespace {

/// Bytes of a block that is cited whole; of a longer one, what is said of it.
constexpr std::size_t kMostOfABlock = 4096;

Json or_null(const std::optional<std::string>& text) {
  return text && !text->empty() ? Json(*text) : Json(nullptr);
}

}  // namespace

void CitedSources::add_texts(std::size_t source, std::vector<std::string> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts_.push_back(std::move(texts[i]));
    about_.push_back({source, static_cast<int>(i)});
  }
}

void CitedSources::add(Source source, std::vector<std::string> texts, bool is_cited) {
  int& n = source.kind == Source::Kind::search_result ? n_search_results_ : n_documents_;
  source.number = n++;
  if (!is_cited) return;
  sources_.push_back(std::move(source));
  add_texts(sources_.size() - 1, std::move(texts));
}

void CitedSources::add_text(const std::optional<std::string>& title, std::string text,
                            bool is_cited) {
  add({.kind = Source::Kind::text, .title = title}, {std::move(text)}, is_cited);
}

void CitedSources::add_blocks(const std::optional<std::string>& title,
                              std::vector<std::string> blocks, bool is_cited) {
  add({.kind = Source::Kind::blocks, .title = title}, std::move(blocks), is_cited);
}

void CitedSources::add_file(const std::optional<std::string>& title, std::size_t media,
                            bool is_cited) {
  add({.kind = Source::Kind::pages, .title = title, .media = media}, {}, is_cited);
}

void CitedSources::add_search_result(std::string source, std::string title,
                                     std::vector<std::string> blocks, bool is_cited) {
  add({.kind = Source::Kind::search_result,
       .title = std::move(title),
       .address = std::move(source)},
      std::move(blocks), is_cited);
}

void CitedSources::take(const serving::DocumentText& document) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    if (source.media != document.media) continue;
    source.media.reset();
    source.kind = document.has_pages ? Source::Kind::pages : Source::Kind::text;
    for (const serving::DocumentText::Page& page : document.pages) {
      texts_.push_back(page.text);
      about_.push_back({i, page.number});
    }
  }
}

std::vector<std::string> CitedSources::take_texts() { return std::exchange(texts_, {}); }

std::string_view CitedSources::location(Source::Kind kind) {
  switch (kind) {
    case Source::Kind::text:
      return "char_location";
    case Source::Kind::blocks:
      return "content_block_location";
    case Source::Kind::search_result:
      return "search_result_location";
    case Source::Kind::pages:
      break;
  }
  return "page_location";
}

Json CitedSources::citation(const Passage& passage, const PassageIndex& index) const {
  const Text& about = about_[passage.text];
  const Source& source = sources_[about.source];
  const std::string_view text = index.texts()[passage.text];
  const std::string_view said = text.substr(passage.begin, passage.end - passage.begin);
  Json citation = {{"type", location(source.kind)}, {"cited_text", said}};
  if (source.kind == Source::Kind::search_result) {
    citation["search_result_index"] = source.number;
    citation["source"] = source.address;
    citation["title"] = or_null(source.title);
  } else {
    citation["document_index"] = source.number;
    citation["document_title"] = or_null(source.title);
    citation["file_id"] = nullptr;
  }
  switch (source.kind) {
    case Source::Kind::text: {
      const std::size_t begin = utf8_count(text.substr(0, passage.begin));
      citation["start_char_index"] = begin;
      citation["end_char_index"] = begin + utf8_count(said);
      break;
    }
    case Source::Kind::pages:
      citation["start_page_number"] = about.number;
      citation["end_page_number"] = about.number + 1;  // behind the last
      break;
    case Source::Kind::blocks:
    case Source::Kind::search_result:
      if (text.size() <= kMostOfABlock) citation["cited_text"] = text;
      citation["start_block_index"] = about.number;
      citation["end_block_index"] = about.number + 1;
      break;
  }
  return citation;
}

}  // namespace pleiad::api::anthropic
