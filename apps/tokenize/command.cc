// pleiad tokenize: the tokens of a text, as the model sees them.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/model_location.h"
#include "apps/common/named_model.h"
#include "apps/common/output.h"
#include "base/json.h"
#include "base/text_format.h"
#include "engine/loaded_model.h"

#include <fmt/ranges.h>

namespace pleiad::apps {
namespace {

struct TokenizeFlags {
  std::string model;
  std::string text;
  bool has_text = false;
  bool control = false;
  bool pieces = false;
};

int tokenize(const TokenizeFlags& flags, const Environment& environment) {
  const Checkpoint checkpoint = Checkpoint::open(find_model(flags.model, environment));
  const text::Tokenizer tokenizer = load_tokenizer(checkpoint);
  std::string text = flags.text;
  if (!flags.has_text) {
    std::ostringstream all;
    all << std::cin.rdbuf();
    text = all.str();
  }
  const std::vector<text::TokenId> tokens =
      flags.control ? tokenizer.encode_with_control(text) : tokenizer.encode_text(text);
  std::string out;
  if (flags.pieces) {
    for (const text::TokenId token : tokens) {
      out += fmt::format("{}\t{}\n", token, printable(tokenizer.vocabulary().text(token), 1000));
    }
  } else {
    out = fmt::format("{}\n", fmt::join(tokens, ","));
  }
  print(out);
  return 0;
}

}  // namespace

void add_tokenize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen) {
  auto flags = std::make_shared<TokenizeFlags>();
  CLI::App* command = app.add_subcommand("tokenize", "Print the tokens of a text");
  command->add_option("MODEL", flags->model, model_help())->required();
  CLI::Option* text =
      command->add_option("TEXT", flags->text, "The text (default: standard input, all of it)");
  command->add_flag("--control", flags->control,
                    "Control tokens that the text spells (<|turn>) become control tokens");
  command->add_flag("--pieces", flags->pieces, "One line a token, with its piece");
  command->footer(
      "Examples:\n"
      "  pleiad tokenize demo \"Hello there\" --pieces\n"
      "  pleiad render e2b --input chat.json | pleiad tokenize model.gguf --control");
  command->callback([flags, text, &environment, &chosen] {
    flags->has_text = text->count() > 0;
    chosen = [flags, &environment] { return tokenize(*flags, environment); };
  });
}

}  // namespace pleiad::apps
