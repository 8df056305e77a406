// The answer comes in the language and the script that were asked for, also where the
// question is in another.

#include "base/text_format.h"
#include "eval/battery.h"
#include "eval/graders/language.h"

namespace pleiad::eval {
namespace {

Grader is_in(Language language) {
  return [language](const ChatReply& reply) {
    constexpr std::int64_t kFewLetters = 10;
    const std::string& text = reply.reply.content;
    if (ScriptCounts(text).letters() < kFewLetters) {
      return Verdict::bad(fmt::format("too short: {}", printable(text, 60)));
    }
    if (is_in_language(text, language)) return Verdict::good();
    return Verdict::bad(fmt::format("not {}: {}", name(language), printable(text, 60)));
  };
}

}  // namespace

Check language_check() {
  struct Row {
    std::string_view question;
    Language language;
  };
  constexpr std::string_view kSky = "Explain in three sentences why the sky is blue.";
  const Row rows[] = {
      {"Answer in German.", Language::german},         {"Answer in French.", Language::french},
      {"Answer in Spanish.", Language::spanish},       {"Answer in Italian.", Language::italian},
      {"Answer in Portuguese.", Language::portuguese}, {"Answer in Russian.", Language::russian},
      {"Answer in Greek.", Language::greek},           {"Answer in Arabic.", Language::arabic},
      {"Answer in Hindi.", Language::hindi},           {"Answer in Korean.", Language::korean},
      {"Answer in Japanese.", Language::japanese},     {"Answer in Chinese.", Language::chinese},
      {"Answer in Hebrew.", Language::hebrew},         {"Answer in Thai.", Language::thai},
  };
  const Row crossed[] = {
      {"Warum ist das Meer salzig? Antworte in drei Sätzen auf Englisch.", Language::english},
      {"Pourquoi la mer est-elle salée ? Réponds en trois phrases, en allemand.", Language::german},
      {"¿Por qué es salado el mar? Responde en tres frases.", Language::spanish},
      {"Почему море солёное? Ответь тремя предложениями.", Language::russian},
  };
  Check check = {"language", "answers in the language and script asked for", {}, {}};
  const auto add = [&](std::string question, Language language) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.turns.push_back(ask(question, is_in(language)));
    check.cases.push_back(std::move(item));
  };
  for (const Row& row : rows) add(fmt::format("{} {}", kSky, row.question), row.language);
  for (const Row& row : crossed) add(std::string(row.question), row.language);
  return check;
}

}  // namespace pleiad::eval
