#include "convert/hf_tokenizer.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/tokenizer_spec.h"
#include "text/vocabulary.h"

namespace pleiad::convert {
namespace {

using text::PieceKind;
using text::TokenizerSpec;

/// Keeps what the views of a specification point to.
struct Arrays {
  std::vector<std::string_view> tokens;
  std::vector<std::int32_t> types;
  std::vector<std::string_view> merges;
  TokenizerSpec spec;
};

Arrays read_arrays(const gguf::File& file) {
  const gguf::Metadata& metadata = file.metadata();
  Arrays arrays;
  arrays.tokens = metadata.find_strings("tokenizer.ggml.tokens").value_or(arrays.tokens);
  arrays.merges = metadata.find_strings("tokenizer.ggml.merges").value_or(arrays.merges);
  for (const auto type :
       metadata.find_integers("tokenizer.ggml.token_type").value_or(std::vector<std::int64_t>())) {
    arrays.types.push_back(static_cast<std::int32_t>(type));
  }
  text::GgufTokenizerArrays from;
  from.source = file.name();
  from.model = metadata.find_string("tokenizer.ggml.model").value_or("");
  from.pre = metadata.find_string("tokenizer.ggml.pre").value_or("");
  from.tokens = arrays.tokens;
  from.token_types = arrays.types;
  from.merges = arrays.merges;
  from.bos_id = metadata.find_integer("tokenizer.ggml.bos_token_id");
  from.eos_id = metadata.find_integer("tokenizer.ggml.eos_token_id");
  from.unk_id = metadata.find_integer("tokenizer.ggml.unknown_token_id");
  from.pad_id = metadata.find_integer("tokenizer.ggml.padding_token_id");
  from.add_space_prefix = metadata.find_boolean("tokenizer.ggml.add_space_prefix");
  arrays.spec = text::tokenizer_spec_from_gguf(from);
  return arrays;
}

std::string quoted(std::string_view text) { return to_text(Json(text)); }

bool is_literal(PieceKind kind) {
  return text::is_control(kind) || kind == PieceKind::user_defined;
}

Json replace(const char* from, const char* to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

Json decoder() {
  return {{"type", "Sequence"},
          {"decoders", {replace("▁", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}}}};
}

Json pre_tokenizer() {
  return {{"type", "Split"},
          {"pattern", {{"String", " "}}},
          {"behavior", "MergedWithPrevious"},
          {"invert", false}};
}

Json sequence(const char* id, int type) { return {{"Sequence", {{"id", id}, {"type_id", type}}}}; }

/// <bos> before a text, where the file asks for it.
Json post_processor(const TokenizerSpec& spec, bool add_bos) {
  if (!spec.bos || !add_bos) return nullptr;
  const std::string bos(spec.pieces[static_cast<std::size_t>(*spec.bos)]);
  const auto special = [&](int type) {
    return Json{{"SpecialToken", {{"id", bos}, {"type_id", type}}}};
  };
  Json json = {{"type", "TemplateProcessing"}};
  json["single"] = Json::array({special(0), sequence("A", 0)});
  json["pair"] = Json::array({special(0), sequence("A", 0), special(1), sequence("B", 1)});
  json["special_tokens"][bos] = {
      {"id", bos}, {"ids", Json::array({*spec.bos})}, {"tokens", Json::array({bos})}};
  return json;
}

std::string added_tokens(const TokenizerSpec& spec) {
  std::string lines;
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    if (spec.pieces[id].empty() || !is_literal(spec.kinds[id])) continue;
    const Json token = {{"id", id},
                        {"content", spec.pieces[id]},
                        {"single_word", false},
                        {"lstrip", false},
                        {"rstrip", false},
                        {"normalized", false},
                        {"special", text::is_control(spec.kinds[id])}};
    lines += (lines.empty() ? "\n    " : ",\n    ") + to_text(token);
  }
  return "[" + lines + "\n  ]";
}

/// Pieces that fill the table up to the rows of the embedding are left out: no text has
/// them.
std::string vocabulary(const TokenizerSpec& spec) {
  std::string lines;
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    if (spec.pieces[id].empty() || spec.kinds[id] == PieceKind::unused) continue;
    lines += (lines.empty() ? "\n      " : ",\n      ") + quoted(spec.pieces[id]) + ": " +
             std::to_string(id);
  }
  return "{" + lines + "\n    }";
}

std::string merges(const TokenizerSpec& spec) {
  std::string lines;
  for (const text::Merge& merge : spec.merges) {
    lines += lines.empty() ? "\n      " : ",\n      ";
    lines += "[" + quoted(merge.left) + ", " + quoted(merge.right) + "]";
  }
  return "[" + lines + "\n    ]";
}

Json piece_or_null(const TokenizerSpec& spec, std::optional<text::TokenId> id) {
  if (!id) return nullptr;
  return spec.pieces[static_cast<std::size_t>(*id)];
}

}  // namespace

std::string make_tokenizer_json(const gguf::File& file) {
  const Arrays arrays = read_arrays(file);
  const TokenizerSpec& spec = arrays.spec;
  const bool add_bos = file.metadata().find_boolean("tokenizer.ggml.add_bos_token").value_or(true);
  std::string json = "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null";
  json += ",\n  \"added_tokens\": " + added_tokens(spec);
  json += ",\n  \"normalizer\": " + to_text(replace(" ", "▁"));
  json += ",\n  \"pre_tokenizer\": " + to_text(pre_tokenizer());
  json += ",\n  \"post_processor\": " + to_text(post_processor(spec, add_bos));
  json += ",\n  \"decoder\": " + to_text(decoder());
  json += ",\n  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null";
  json += ",\n    \"unk_token\": " + to_text(piece_or_null(spec, spec.unk));
  json += ",\n    \"continuing_subword_prefix\": null,\n    \"end_of_word_suffix\": null";
  json += ",\n    \"fuse_unk\": true,\n    \"byte_fallback\": true,\n    \"ignore_merges\": false";
  json += ",\n    \"vocab\": " + vocabulary(spec);
  json += ",\n    \"merges\": " + merges(spec) + "\n  }\n}\n";
  return json;
}

Json make_tokenizer_config(const gguf::File& file) {
  const Arrays arrays = read_arrays(file);
  const TokenizerSpec& spec = arrays.spec;
  Json json = {{"tokenizer_class", "PreTrainedTokenizerFast"},
               {"add_bos_token", nullptr},
               {"clean_up_tokenization_spaces", false},
               {"padding_side", "left"}};
  json["add_bos_token"] =
      file.metadata().find_boolean("tokenizer.ggml.add_bos_token").value_or(true);
  json["bos_token"] = piece_or_null(spec, spec.bos);
  json["eos_token"] = piece_or_null(spec, spec.eos);
  json["unk_token"] = piece_or_null(spec, spec.unk);
  json["pad_token"] = piece_or_null(spec, spec.pad);
  return json;
}

}  // namespace pleiad::convert
