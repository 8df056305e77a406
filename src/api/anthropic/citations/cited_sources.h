#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/anthropic/citations/passage_index.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::anthropic {

/// The documents and search results of a request, as answers cite them: those for which citations
/// are enabled, under the numbers that they have among all.
class CitedSources {
 public:
  /// A block `document` with a text.
  void add_text(const std::optional<std::string>& title, std::string text, bool is_cited);
  /// One made of blocks.
  void add_blocks(const std::optional<std::string>& title, std::vector<std::string> blocks,
                  bool is_cited);
  /// A file, the request's medium of that number: its text comes later, by take().
  void add_file(const std::optional<std::string>& title, std::size_t media, bool is_cited);
  void add_search_result(std::string source, std::string title, std::vector<std::string> blocks,
                         bool is_cited);

  /// Whether some are cited.
  bool any() const { return !sources_.empty(); }
  /// The text of a file, as a model is shown it; of another medium nothing is kept.
  void take(const serving::DocumentText& document);

  /// Every text in which passages are looked for; moves them out.
  std::vector<std::string> take_texts();

  /// The citation of a passage of these texts, which `index` has, as Anthropic's API words it.
  Json citation(const Passage& passage, const PassageIndex& index) const;

 private:
  struct Source {
    enum class Kind { text, blocks, pages, search_result } kind = Kind::text;
    int number = 0;  // among the documents, or the search results, of the request
    std::optional<std::string> title;
    std::string address = {};               // of a search result
    std::optional<std::size_t> media = {};  // of a file that is waited for
  };
  struct Text {
    std::size_t source = 0;
    int number = 0;  // of the page, or of the block
  };
  static std::string_view location(Source::Kind kind);
  void add(Source source, std::vector<std::string> texts, bool is_cited);
  void add_texts(std::size_t source, std::vector<std::string> texts);

  std::vector<Source> sources_;
  std::vector<std::string> texts_;
  std::vector<Text> about_;  // each of the texts
  int n_documents_ = 0;
  int n_search_results_ = 0;
};

}  // namespace pleiad::api::anthropic
