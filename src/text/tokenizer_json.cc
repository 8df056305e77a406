#include "text/tokenizer_json.h"

#include <simdjson.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "text/tokenizer_pipeline.h"

namespace pleiad::text {
namespace {

namespace ondemand = simdjson::ondemand;

// Gemma's sizes, so that the lists need not grow piece by piece.
constexpr std::size_t kUsualPieces = std::size_t{1} << 18;
constexpr std::size_t kUsualMerges = std::size_t{1} << 19;

/// Collects the fields in whatever order the file has them. Its views point
/// into the simdjson parser's memory.
class TokenizerFile {
 public:
  explicit TokenizerFile(const std::string& source) { spec_.source = source; }

  TokenizerSpec read(ondemand::document document) {
    for (auto field : ondemand::object(document.get_object())) {
      const std::string_view key = field.unescaped_key();
      ondemand::value value = field.value();
      if (key == "model") {
        read_model(value.get_object());
      } else if (key == "added_tokens") {
        added_tokens_ = small_value(value);
      } else if (key == "normalizer") {
        check_normalizer(small_value(value), spec_.source);
      } else if (key == "pre_tokenizer") {
        check_pre_tokenizer(small_value(value), spec_.source);
      } else if (key == "decoder") {
        check_decoder(small_value(value), spec_.source);
        has_decoder_ = true;
      }
    }
    finish();
    return std::move(spec_);
  }

 private:
  Json small_value(ondemand::value value) {
    const std::string_view text = simdjson::to_json_string(value);
    Json parsed = json_or_discarded(text);
    if (parsed.is_discarded()) throw LoadError("{}: not valid JSON", spec_.source);
    return parsed;
  }

  void read_model(ondemand::object model) {
    for (auto field : model) {
      const std::string_view key = field.unescaped_key();
      if (key == "vocab") {
        read_vocabulary(field.value().get_object());
      } else if (key == "merges") {
        read_merges(field.value().get_array());
      } else {
        check_model_option(key, small_value(field.value()), spec_);
      }
    }
  }

  void read_vocabulary(ondemand::object vocabulary) {
    has_vocabulary_ = true;
    spec_.pieces.reserve(kUsualPieces);
    spec_.kinds.reserve(kUsualPieces);
    for (auto field : vocabulary) {
      const std::string_view piece = field.unescaped_key();
      const std::int64_t id = field.value().get_int64();
      put_piece(piece, id, "model.vocab");
      spec_.kinds[id] = kind_by_text(piece, PieceKind::normal);
    }
  }

  void put_piece(std::string_view piece, std::int64_t id, std::string_view where) {
    if (id < 0 || static_cast<std::size_t>(id) >= Vocabulary::kMaxPieces) {
      throw LoadError("{}: {}: '{}' has the id {}", spec_.source, where, printable(piece), id);
    }
    if (static_cast<std::size_t>(id) >= spec_.pieces.size()) {
      spec_.pieces.resize(id + 1);
      spec_.kinds.resize(id + 1, PieceKind::unused);
    }
    if (!spec_.pieces[id].empty()) {
      throw LoadError("{}: {}: '{}' and '{}' both have the id {}", spec_.source, where,
                      printable(spec_.pieces[id]), printable(piece), id);
    }
    spec_.pieces[id] = piece;
  }

  void read_merges(ondemand::array merges) {
    spec_.merges.reserve(kUsualMerges);
    for (auto element : merges) {
      ondemand::value value = element.value();
      spec_.merges.push_back(value.type() == ondemand::json_type::array
                                 ? read_pair(value.get_array())
                                 : split_merge(value.get_string()));
      if (spec_.merges.back().left.empty() || spec_.merges.back().right.empty()) {
        throw LoadError("{}: model.merges[{}]: expected \"left right\" or [\"left\", \"right\"]",
                        spec_.source, spec_.merges.size() - 1);
      }
    }
  }

  static Merge read_pair(ondemand::array pair) {
    std::string_view sides[2];
    std::size_t count = 0;
    for (auto side : pair) {
      const std::string_view text = side.get_string();
      if (count < 2) sides[count] = text;
      ++count;
    }
    return count == 2 ? Merge{sides[0], sides[1]} : Merge{};
  }

  void finish() {
    spec_.n_model_pieces = spec_.pieces.size();
    if (!has_vocabulary_) throw LoadError("{}: model.vocab: missing", spec_.source);
    if (!has_decoder_) throw LoadError("{}: decoder: missing", spec_.source);
    if (added_tokens_.is_null()) return;
    if (!added_tokens_.is_array()) throw LoadError("{}: added_tokens: not a list", spec_.source);
    for (std::size_t i = 0; i < added_tokens_.size(); ++i) {
      add_token(read_added_token(added_tokens_[i], i, spec_.source));
    }
    const auto find_special = [&](Tag tag) -> std::optional<TokenId> {
      for (const LiteralPiece& literal : spec_.literals) {
        if (spec_.pieces[literal.id] == tag_text(tag)) return literal.id;
      }
      return std::nullopt;
    };
    spec_.bos = find_special(Tag::bos);
    spec_.eos = find_special(Tag::eos);
    spec_.unk = find_special(Tag::unk);
    spec_.pad = find_special(Tag::pad);
  }

  /// The token is in the vocabulary already, under the same id, or extends it.
  void add_token(const AddedToken& token) {
    const auto known = static_cast<std::size_t>(token.literal.id) < spec_.pieces.size()
                           ? spec_.pieces[token.literal.id]
                           : std::string_view();
    if (known != token.text) put_piece(token.text, token.literal.id, "added_tokens");
    spec_.kinds[token.literal.id] =
        kind_by_text(token.text, token.special ? PieceKind::control : PieceKind::user_defined);
    spec_.literals.push_back(token.literal);
  }

  TokenizerSpec spec_;
  Json added_tokens_;  // must outlive spec_'s views of it: see parse()

  bool has_vocabulary_ = false;
  bool has_decoder_ = false;
};

template <typename Use>
auto parse(const simdjson::padded_string& json, const std::string& source, Use use) {
  try {
    ondemand::parser parser;
    TokenizerFile file(source);
    const TokenizerSpec spec = file.read(parser.iterate(json));
    return use(spec);
  } catch (const simdjson::simdjson_error& error) {
    throw LoadError("{}: not a tokenizer.json: {}", source, error.what());
  }
}

simdjson::padded_string read_file(const std::filesystem::path& path) {
  simdjson::padded_string json;
  if (simdjson::padded_string::load(path.string()).get(json) != simdjson::SUCCESS) {
    throw LoadError("{}: cannot be read", path.string());
  }
  return json;
}

Tokenizer build(const TokenizerSpec& spec) { return Tokenizer(spec); }

}  // namespace

Tokenizer load_tokenizer_json(const std::filesystem::path& path) {
  return parse(read_file(path), path.string(), build);
}

Tokenizer parse_tokenizer_json(std::string_view json, const std::string& source) {
  return parse(simdjson::padded_string(json), source, build);
}

void with_tokenizer_spec(const std::filesystem::path& path,
                         const std::function<void(const TokenizerSpec&)>& use) {
  parse(read_file(path), path.string(), use);
}

}  // namespace pleiad::text
