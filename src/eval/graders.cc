#include "eval/graders.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/text_format.h"
#include "eval/repetition.h"
#include "eval/reply_text.h"

namespace pleiad::eval::graders {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a reply in a verdict

std::string shown(std::string_view text) { return printable(text, kShown); }

std::string plain(const ChatReply& reply) { return without_markup(reply.reply.content); }

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "12", "12.5"
std::string number_text(double value) { return fmt::format("{:.15g}", value); }

Verdict judge_count(const std::vector<double>& found, int first, int last, int step) {
  std::vector<double> expected;
  for (int n = first; step > 0 ? n <= last : n >= last; n += step) expected.push_back(n);
  if (found.empty()) return Verdict::bad("no numbers");
  constexpr std::size_t kMostBefore = 2;
  std::size_t furthest = 0;
  for (std::size_t start = 0; start <= kMostBefore && start < found.size(); ++start) {
    std::size_t n = 0;
    while (n < expected.size() && start + n < found.size() && found[start + n] == expected[n]) ++n;
    if (n == expected.size() && start + n == found.size()) return Verdict::good();
    if (n == expected.size()) {
      return Verdict::bad(fmt::format("goes on with {}", number_text(found[start + n])));
    }
    furthest = std::max(furthest, n);
  }
  return Verdict::bad(
      furthest == 0 ? fmt::format("does not begin with {}", first)
                    : fmt::format("right up to {} only", number_text(expected[furthest - 1])));
}

}  // namespace

Grader counts(int first, int last, int step) {
  return [=](const ChatReply& reply) {
    return judge_count(numbers_in(plain(reply), Commas::separate), first, last, step);
  };
}

Grader ends_with_number(double value) {
  return [=](const ChatReply& reply) {
    const std::vector<double> found = numbers_in(plain(reply));
    if (found.empty()) return Verdict::bad(fmt::format("no number in {}", shown(plain(reply))));
    if (std::abs(found.back() - value) <= 1e-9 * std::max(1.0, std::abs(value))) {
      return Verdict::good();
    }
    return Verdict::bad(
        fmt::format("{} instead of {}", number_text(found.back()), number_text(value)));
  };
}

Grader names(std::string_view word, std::vector<std::string> others,
             std::vector<std::string> allowed) {
  return [word = ascii_lower(word), others = std::move(others),
          allowed = std::move(allowed)](const ChatReply& reply) {
    const std::vector<std::string> words = words_in(plain(reply));
    if (!has(words, word)) return Verdict::bad(fmt::format("no {}: {}", word, shown(plain(reply))));
    for (const std::string& other : others) {
      const std::string lower = ascii_lower(other);
      const bool may =
          lower == word || std::any_of(allowed.begin(), allowed.end(),
                                       [&](auto& name) { return ascii_lower(name) == lower; });
      if (!may && has(words, lower)) return Verdict::bad(fmt::format("{} as well", other));
    }
    return Verdict::good();
  };
}

Grader has_word(std::string_view word) { return names(word, {}); }

Grader spells(std::string_view word) {
  return [word = ascii_lower(word)](const ChatReply& reply) {
    const std::vector<std::string> spelled = spelled_words(plain(reply));
    if (has(spelled, word)) return Verdict::good();
    return Verdict::bad(spelled.empty()
                            ? fmt::format("no letters instead of {}", word)
                            : fmt::format("{} instead of {}", shown(spelled.back()), word));
  };
}

Grader in_capitals(Grader grade) {
  return [grade = std::move(grade)](const ChatReply& reply) {
    const std::string text = plain(reply);
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto found = std::find_if(text.begin(), text.end(), is_lower);
    if (found == text.end()) return grade(reply);
    const auto at = static_cast<std::size_t>(found - text.begin());
    return Verdict::bad(fmt::format("lower case: {}", shown(std::string_view(text).substr(at))));
  };
}

Grader is_json(std::function<bool(const Json&)> holds, std::string_view expected) {
  return [holds = std::move(holds), expected = std::string(expected)](const ChatReply& reply) {
    const auto value = json_in(reply.reply.content);
    if (!value) return Verdict::bad(fmt::format("no JSON: {}", shown(reply.reply.content)));
    if (holds(*value)) return Verdict::good();
    return Verdict::bad(fmt::format("expected {}, found {}", expected, shown(value->dump())));
  };
}

Grader runs_long(std::size_t min_words) {
  return [=](const ChatReply& reply) {
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
    if (repetition.n_words >= min_words) return Verdict::good();
    return Verdict::bad(fmt::format("{} words instead of {}", repetition.n_words, min_words));
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
