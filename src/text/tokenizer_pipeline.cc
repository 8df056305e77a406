#include "text/tokenizer_pipeline.h"

#include "base/error.h"
#include "base/text_format.h"
#include "text/vocabulary.h"

namespace pleiad::text {
namespace {

/// Null where `value` is not an object or has no such key.
Json field(const Json& value, const char* key) {
  return value.is_object() && value.contains(key) ? value[key] : Json();
}

bool replaces(const Json& value, std::string_view from, std::string_view to) {
  return field(value, "type") == "Replace" && field(field(value, "pattern"), "String") == from &&
         field(value, "content") == to;
}

[[noreturn]] void refuse(const std::string& source, std::string_view key, const Json& value) {
  throw LoadError("{}: {}: this is not Gemma's tokenizer: {}", source, key,
                  printable(to_text(value), 160));
}

}  // namespace

void check_normalizer(const Json& value, const std::string& source) {
  const Json steps = field(value, "normalizers");
  const bool wrapped = field(value, "type") == "Sequence" && steps.is_array() && steps.size() == 1;
  if (!replaces(wrapped ? steps[0] : value, " ", "▁")) refuse(source, "normalizer", value);
}

void check_pre_tokenizer(const Json& value, const std::string& source) {
  const bool splits_at_space = field(value, "type") == "Split" &&
                               field(field(value, "pattern"), "String") == " " &&
                               field(value, "invert") != true;
  if (!value.is_null() && !splits_at_space) refuse(source, "pre_tokenizer", value);
}

void check_decoder(const Json& value, const std::string& source) {
  const Json steps = field(value, "decoders");
  bool fits = field(value, "type") == "Sequence" && steps.is_array() && steps.size() >= 2 &&
              steps.size() <= 3;
  fits = fits && replaces(steps[0], "▁", " ") && field(steps[1], "type") == "ByteFallback";
  if (fits && steps.size() == 3) fits = field(steps[2], "type") == "Fuse";
  if (!fits) refuse(source, "decoder", value);
}

void check_model_option(std::string_view key, const Json& value, TokenizerSpec& spec) {
  bool fits = true;
  if (key == "type") {
    fits = value == "BPE";
  } else if (key == "byte_fallback") {
    fits = value == true;
  } else if (key == "ignore_merges") {
    fits = value.is_null() || value.is_boolean();
    spec.whole_piece_first = value == true;
  } else if (key == "continuing_subword_prefix" || key == "end_of_word_suffix") {
    fits = value.is_null() || value == "";
  } else if (key == "dropout") {
    fits = value.is_null() || value == 0;
  }
  if (!fits) refuse(spec.source, "model." + std::string(key), value);
}

AddedToken read_added_token(const Json& entry, std::size_t index, const std::string& source) {
  const auto flag = [&](const char* key) { return field(entry, key) == true; };
  const Json id = field(entry, "id");
  const bool has_text =
      entry.is_object() && entry.contains("content") && entry["content"].is_string();
  if (!has_text || !id.is_number_unsigned() || id.get<std::uint64_t>() >= Vocabulary::kMaxPieces) {
    refuse(source, fmt::format("added_tokens[{}]", index), entry);
  }
  if (flag("single_word")) {
    throw LoadError("{}: added_tokens[{}].single_word: not supported", source, index);
  }
  AddedToken token;
  token.text = entry["content"].get_ref<const std::string&>();
  token.special = flag("special");
  token.literal = {.id = static_cast<TokenId>(id.get<std::uint64_t>()),
                   .in_normalized_text = flag("normalized"),
                   .eats_space_before = flag("lstrip"),
                   .eats_space_after = flag("rstrip")};
  return token;
}

}  // namespace pleiad::text
