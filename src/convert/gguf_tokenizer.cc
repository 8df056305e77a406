#include "convert/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "formats/bounded_json.h"
#include "text/tags.h"
#include "text/tokenizer_json.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;
using text::PieceKind;
using text::Tag;
using text::TokenId;
using text::TokenizerSpec;

// The kinds of pieces as GGUF numbers them.
enum TokenType : std::int32_t {
  kNormal = 1,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

// Nothing reads the scores of this kind of tokenizer; these are what others write.
constexpr float kScore = -1000.0F;

/// Control tokens that parsers of replies need to see, so that readers which hide
/// control tokens must not know them as such.
constexpr std::array kVisibleTags = {
    Tag::channel_open,       Tag::channel_close,       Tag::tool_call_open, Tag::tool_call_close,
    Tag::tool_response_open, Tag::tool_response_close, Tag::quote};

struct SpecialToken {
  std::string_view config_name;  // "bos": bos_token, bos_token_id
  std::string_view key;
};
constexpr std::array kSpecialTokens = {
    SpecialToken{"bos", "tokenizer.ggml.bos_token_id"},
    SpecialToken{"eos", "tokenizer.ggml.eos_token_id"},
    SpecialToken{"unk", "tokenizer.ggml.unknown_token_id"},
    SpecialToken{"pad", "tokenizer.ggml.padding_token_id"},
    SpecialToken{"mask", "tokenizer.ggml.mask_token_id"},
};

std::string read_text(const fs::path& path) {
  const MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// An object of the folder; empty where there is no such file.
BoundedJson read_object(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return BoundedJson::object();
  BoundedJson root = parse_bounded_json(read_text(path), path.string());
  if (!root.is_object()) throw LoadError("{}: expected a JSON object", path.string());
  return root;
}

std::int32_t type_of(const TokenizerSpec& spec, std::size_t id) {
  const std::string_view piece = spec.pieces[id];
  switch (spec.kinds[id]) {
    case PieceKind::control:
    case PieceKind::unknown: {
      const auto tag = text::find_tag(piece);
      const bool visible = tag && std::ranges::find(kVisibleTags, *tag) != kVisibleTags.end();
      return visible ? kUserDefined : kControl;
    }
    case PieceKind::byte:
      return kByte;
    case PieceKind::user_defined:
      // What the model's own vocabulary has too is reached by merging.
      return id < spec.n_model_pieces ? kNormal : kUserDefined;
    case PieceKind::unused:
      return piece.empty() ? kUnused : kNormal;
    case PieceKind::normal:
      break;
  }
  return kNormal;
}

void set_pieces(gguf::Writer& writer, const TokenizerSpec& spec, std::size_t n_rows) {
  if (spec.pieces.size() > n_rows) {
    throw LoadError("{}: {} pieces, but the token embedding has {} rows", spec.source,
                    spec.pieces.size(), n_rows);
  }
  std::vector<std::string> made_up;  // for ids that have no piece
  made_up.reserve(n_rows);
  std::vector<std::string_view> pieces;
  std::vector<std::int32_t> types;
  for (std::size_t id = 0; id < n_rows; ++id) {
    const bool is_there = id < spec.pieces.size() && !spec.pieces[id].empty();
    types.push_back(is_there ? type_of(spec, id) : kUnused);
    pieces.push_back(is_there ? spec.pieces[id] : made_up.emplace_back(fmt::format("[PAD{}]", id)));
  }
  writer.set_strings("tokenizer.ggml.tokens", pieces);
  writer.set_f32s("tokenizer.ggml.scores", std::vector<float>(n_rows, kScore));
  writer.set_i32s("tokenizer.ggml.token_type", types);
}

void set_merges(gguf::Writer& writer, const TokenizerSpec& spec) {
  std::vector<std::string> lines;
  lines.reserve(spec.merges.size());
  for (const text::Merge& merge : spec.merges) {
    std::string& line = lines.emplace_back(merge.left);
    line += ' ';
    line += merge.right;
    if (text::split_merge(line).left == merge.left) continue;
    throw LoadError("{}: model.merges[{}]: '{}' has a space inside, which GGUF cannot hold",
                    spec.source, lines.size() - 1, printable(line));
  }
  writer.set_strings("tokenizer.ggml.merges",
                     std::vector<std::string_view>(lines.begin(), lines.end()));
}

/// "eos_token": "<eos>", or an object with the text as "content".
std::optional<std::string> token_text(const BoundedJson& config, const std::string& field) {
  const auto found = config.find(field);
  if (found == config.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_object()) return std::nullopt;
  const auto content = found->find("content");
  if (content == found->end() || !content->is_string()) return std::nullopt;
  return content->get<std::string>();
}

/// "eos_token_id": one number, in the file or in its text_config.
std::optional<std::int64_t> token_id(const BoundedJson& config, const std::string& field) {
  const auto number = [&](const BoundedJson& object) -> std::optional<std::int64_t> {
    const auto found = object.find(field);
    if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
    return static_cast<std::int64_t>(found->get<std::uint64_t>());
  };
  if (const auto id = number(config)) return id;
  const auto text_config = config.find("text_config");
  if (text_config == config.end() || !text_config->is_object()) return std::nullopt;
  return number(*text_config);
}

std::optional<TokenId> literal_id(const TokenizerSpec& spec, std::string_view piece) {
  for (const text::LiteralPiece& literal : spec.literals) {
    if (spec.pieces[static_cast<std::size_t>(literal.id)] == piece) return literal.id;
  }
  return std::nullopt;
}

std::optional<TokenId> stated_by_tokenizer(const TokenizerSpec& spec, std::string_view name) {
  if (name == "bos") return spec.bos;
  if (name == "eos") return spec.eos;
  if (name == "unk") return spec.unk;
  if (name == "pad") return spec.pad;
  return std::nullopt;
}

/// What ends a reply beside `eos`: readers of GGUF know an end of a turn and of a
/// message.
void set_other_stop_tokens(gguf::Writer& writer, const Checkpoint& source,
                           std::optional<TokenId> eos) {
  std::vector<std::string_view> keys = {"tokenizer.ggml.eom_token_id",
                                        "tokenizer.ggml.eot_token_id"};
  for (const std::int32_t stop : source.generation().stop_tokens) {
    if (stop == eos || stop >= source.config().vocab_size || keys.empty()) continue;
    writer.set_u32(keys.back(), static_cast<std::uint32_t>(stop));
    keys.pop_back();
  }
}

/// A file without pieces, which says so and keeps what ends a reply.
void set_no_tokenizer(gguf::Writer& writer, const Checkpoint& source) {
  writer.set_string("tokenizer.ggml.model", "none");
  writer.set_u32("gemma4.vocab_size", static_cast<std::uint32_t>(source.config().vocab_size));
  const std::vector<std::int32_t>& stops = source.generation().stop_tokens;
  if (stops.empty() || stops[0] >= source.config().vocab_size) return;
  writer.set_u32("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(stops[0]));
  set_other_stop_tokens(writer, source, stops[0]);
}

void set_special_tokens(gguf::Writer& writer, const TokenizerSpec& spec, const Checkpoint& source,
                        const BoundedJson& tokenizer_config, const BoundedJson& config) {
  std::optional<TokenId> eos;
  for (const SpecialToken& special : kSpecialTokens) {
    const std::string name(special.config_name);
    std::optional<TokenId> id;
    if (const auto text = token_text(tokenizer_config, name + "_token"))
      id = literal_id(spec, *text);
    if (!id) {
      const auto number = token_id(config, name + "_token_id");
      if (number && *number < source.config().vocab_size) id = static_cast<TokenId>(*number);
    }
    if (!id) id = stated_by_tokenizer(spec, name);
    if (!id) continue;
    if (name == "eos") eos = id;
    writer.set_u32(special.key, static_cast<std::uint32_t>(*id));
  }
  set_other_stop_tokens(writer, source, eos);
}

/// The template of a conversation: a file of its own, or a field, which may be a
/// list of named ones.
std::optional<std::string> chat_template(const fs::path& folder,
                                         const BoundedJson& tokenizer_config) {
  std::error_code error;
  if (fs::exists(folder / "chat_template.jinja", error)) {
    return read_text(folder / "chat_template.jinja");
  }
  const BoundedJson of_its_own = read_object(folder / "chat_template.json");
  for (const BoundedJson* object : {&tokenizer_config, &of_its_own}) {
    const auto found = object->find("chat_template");
    if (found == object->end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_array()) continue;
    for (const BoundedJson& entry : *found) {
      const bool is_default = entry.is_object() && entry.value("name", BoundedJson()) == "default";
      if (!is_default) continue;
      const auto text = entry.find("template");
      if (text != entry.end() && text->is_string()) return text->get<std::string>();
    }
  }
  return std::nullopt;
}

}  // namespace

void set_tokenizer_keys(gguf::Writer& writer, const Checkpoint& source) {
  const auto n_rows = static_cast<std::size_t>(source.config().vocab_size);
  if (source.tokenizer_source() != TokenizerSource::tokenizer_json) {
    set_no_tokenizer(writer, source);
    return;
  }
  const fs::path folder = source.tokenizer_json().parent_path();
  const BoundedJson tokenizer_config = read_object(folder / "tokenizer_config.json");
  const BoundedJson config = read_object(folder / "config.json");
  writer.set_string("tokenizer.ggml.model", "gemma4");
  text::with_tokenizer_spec(source.tokenizer_json(), [&](const TokenizerSpec& spec) {
    const text::Tokenizer checked(spec);  // refuses what contradicts itself
    set_pieces(writer, spec, n_rows);
    set_merges(writer, spec);
    set_special_tokens(writer, spec, source, tokenizer_config, config);
  });
  writer.set_boolean("tokenizer.ggml.add_space_prefix", false);
  writer.set_boolean("tokenizer.ggml.add_bos_token", true);
  if (const auto text = chat_template(folder, tokenizer_config)) {
    writer.set_string("tokenizer.chat_template", *text);
  }
}

}  // namespace pleiad::convert
