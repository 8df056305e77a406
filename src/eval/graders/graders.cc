#include "eval/graders/graders.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "eval/graders/plain_text.h"
#include "eval/graders/prose.h"
#include "eval/graders/reading.h"
#include "eval/graders/repetition.h"
#include "eval/graders/reply_text.h"
#include "eval/graders/row_of_numbers.h"

namespace pleiad::eval::graders {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a reply in a verdict
constexpr int kLeastMatter = 3;     // words of a long answer that have to do with the task

std::string shown(std::string_view text) { return printable(text, kShown); }

bool is_lower(char32_t letter) {
  if (letter == 0xDF || letter == 0xB5 || letter == 0xF7) return false;
  return (letter >= U'a' && letter <= U'z') || (letter >= 0xDF && letter <= 0xFF) ||
         (letter >= 0x3AC && letter <= 0x3CE) || (letter >= 0x430 && letter <= 0x45F);
}

}  // namespace

Grader counts(int first, int last, int step) {
  return [=](const ChatReply& reply) {
    std::string wrong = wrong_in_count(reply.reply.content, first, last, step);
    return wrong.empty() ? Verdict::good() : Verdict::bad(std::move(wrong));
  };
}

Grader answers(AnswerReader read, std::string_view expected) {
  return [read = std::move(read), expected = std::string(expected)](const ChatReply& reply) {
    const Answer answer = read(reply.reply.content);
    switch (answer.kind) {
      case Answer::Kind::right:
        return Verdict::good();
      case Answer::Kind::other:
        return Verdict::bad(fmt::format("{} instead of {}", shown(answer.other), expected));
      case Answer::Kind::nothing:
        break;
    }
    return Verdict::bad(fmt::format("does not say {}: {}", expected, shown(reply.reply.content)));
  };
}

Grader ends_with_number(double value, std::string_view question) {
  return answers(reads_number(value, numbers_in(question)), fmt::format("{:.15g}", value));
}

Grader names(std::string_view word, std::vector<std::string> others,
             std::vector<std::string> asked) {
  return answers(reads_name(word, std::move(others), std::move(asked)), ascii_lower(word));
}

Grader has_word(std::string_view word) {
  return [word = ascii_lower(word)](const ChatReply& reply) {
    const Reading reading = read_reply(reply.reply.content);
    const auto asserted =
        reading.asserted([&](std::size_t at) { return reading.tokens[at].is_word(word); });
    for (const std::size_t at : asserted) {
      const auto is_or = [&](std::size_t place) {
        return place < reading.tokens.size() && reading.tokens[place].is_word("or");
      };
      if (!is_or(at + 1) && !(at > 0 && is_or(at - 1))) return Verdict::good();
    }
    return Verdict::bad(fmt::format("does not say {}: {}", word, shown(reply.reply.content)));
  };
}

Grader affirms(bool yes) {
  return [yes](const ChatReply& reply) {
    const std::vector<std::string> words = words_in(without_markup(reply.reply.content));
    const auto first = std::ranges::find_if(
        words, [](const std::string& word) { return word == "yes" || word == "no"; });
    if (first != words.end() && (*first == "yes") == yes) return Verdict::good();
    return Verdict::bad(
        fmt::format("does not say {}: {}", yes ? "yes" : "no", shown(reply.reply.content)));
  };
}

Grader reverses(std::string_view word) {
  return answers(reads_reversed(word), ascii_lower(std::string(word.rbegin(), word.rend())));
}

Grader spells(std::string_view word) {
  return answers(reads_spelling(word), fmt::format("{} letter by letter", ascii_lower(word)));
}

Grader in_capitals(Grader grade) {
  return [grade = std::move(grade)](const ChatReply& reply) {
    const std::string text = without_markup(reply.reply.content);
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view rest = std::string_view(text).substr(at);
      const std::size_t length = std::max<std::size_t>(utf8_length(rest), 1);
      if (is_lower(code_point(rest.substr(0, length)))) {
        return Verdict::bad(fmt::format("lower case: {}", shown(rest)));
      }
      at += length;
    }
    return grade(reply);
  };
}

Grader writes_lines(std::size_t n_lines, std::string_view stem) {
  return [n_lines, stem = ascii_lower(stem)](const ChatReply& reply) {
    std::string text = reply.reply.content;
    std::replace(text.begin(), text.end(), '/', '\n');
    std::size_t n_long = 0;
    bool has_stem = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::vector<std::string> words = words_in(std::string_view(text).substr(at, end - at));
      n_long += words.size() >= 3 ? 1 : 0;
      for (const std::string& word : words) has_stem = has_stem || word.starts_with(stem);
      at = end + 1;
    }
    if (n_long < n_lines) return Verdict::bad(fmt::format("{} lines: {}", n_long, shown(text)));
    if (!has_stem) return Verdict::bad(fmt::format("nothing of {}: {}", stem, shown(text)));
    return Verdict::good();
  };
}

Grader runs_long(std::size_t min_words, std::vector<std::string> stems) {
  return [=](const ChatReply& reply) {
    const std::string text = without_markup(reply.reply.content);
    const Repetition repetition = measure_repetition(reply.reply.content);
    if (repetition.longest_loop > 0) {
      return Verdict::bad(fmt::format("runs in circles for {} words: {}", repetition.longest_loop,
                                      shown(repetition.loop)));
    }
    if (repetition.longest_byte_loop > 0) {
      return Verdict::bad(fmt::format("runs in circles for {} bytes: {}",
                                      repetition.longest_byte_loop, shown(repetition.loop)));
    }
    if (repetition.is_degenerate()) {
      return Verdict::bad(fmt::format("only {:.0f} % of its runs of four words are different",
                                      100 * repetition.distinct_fourgrams));
    }
    const Prose prose = measure_prose(text);
    if (prose.n_words < min_words) {
      return Verdict::bad(fmt::format("{} words instead of {}", prose.n_words, min_words));
    }
    if (std::string wrong = prose.wrong(); !wrong.empty()) return Verdict::bad(std::move(wrong));
    if (stems.empty()) return Verdict::good();
    const std::vector<std::string> words = words_in(text);
    const auto n_matter = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
      return std::any_of(stems.begin(), stems.end(),
                         [&](const std::string& stem) { return word.starts_with(stem); });
    });
    if (n_matter >= kLeastMatter) return Verdict::good();
    return Verdict::bad(fmt::format("is about something else: {}", shown(text)));
  };
}

Grader all_of(std::vector<Grader> graders) {
  return [graders = std::move(graders)](const ChatReply& reply) {
    for (const Grader& grader : graders) {
      Verdict verdict = grader(reply);
      if (!verdict.right) return verdict;
    }
    return Verdict::good();
  };
}

}  // namespace pleiad::eval::graders
