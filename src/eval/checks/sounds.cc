// Sounds that are made for the question: what is said in one, how many words or tones there are,
// and which of two has what.

#include <algorithm>

#include "eval/checks/media_case.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

constexpr std::string_view kDigits[] = {"zero", "one", "two",   "three", "four",
                                        "five", "six", "seven", "eight", "nine"};
constexpr std::string_view kCommands[] = {"yes", "stop", "go", "left", "right", "up", "down"};

int value_of(std::string_view digit) {
  return static_cast<int>(std::ranges::find(kDigits, digit) - std::begin(kDigits));
}

/// The sounds, and behind them the question.
Case& add_sound_case(Check& check, std::vector<PlayedSound> sounds, std::string_view question,
                     std::string_view answer, Grader grade) {
  Case& item = add_media_case(check, "audio", sounds.size(), question, answer, std::move(grade));
  item.sounds = std::move(sounds);
  return item;
}

void add_number_case(Check& check, PlayedSound sound, std::string_view question, int number) {
  add_sound_case(check, {std::move(sound)}, question, std::to_string(number),
                 graders::ends_with_number(number));
}

PlayedSound beeps(int count, double hertz, std::uint32_t seed) {
  return {.tones = std::vector<Tone>(static_cast<std::size_t>(count),
                                     {.hertz = hertz, .end_hertz = hertz}),
          .seed = seed};
}

PlayedSound glide(double from, double to, double seconds, std::uint32_t seed) {
  return {.tones = {{.hertz = from, .end_hertz = to, .seconds = seconds}}, .seed = seed};
}

}  // namespace

Check words_in_sounds_check() {
  Check check = {"hear-words", "digits and commands, said by a synthetic voice", {}, {}};
  std::uint32_t seed = 101;
  for (const std::string_view digit : kDigits) {
    add_number_case(check, {.words = {digit}, .seed = seed++}, "Which digit is said?",
                    value_of(digit));
  }
  for (const std::string_view command : kCommands) {
    std::vector<std::string> others;
    for (const std::string_view other : kCommands) {
      if (other != command) others.emplace_back(other);
    }
    add_sound_case(check, {{.words = {command}, .seed = seed++}}, "Which word is said?", command,
                   graders::names(command, others));
  }
  return check;
}

Check several_words_check() {
  Check check = {"hear-several", "how many words are said, the first digit and the last", {}, {}};
  const std::vector<std::vector<std::string_view>> counted = {
      {"left", "right"},
      {"go", "seven", "stop"},
      {"three", "down", "up", "nine"},
      {"yes", "five", "left", "two", "stop"}};
  std::uint32_t seed = 121;
  for (const auto& words : counted) {
    add_number_case(check, {.words = words, .seed = seed++}, "How many words are said?",
                    static_cast<int>(words.size()));
  }
  const std::vector<std::vector<std::string_view>> rows = {
      {"four", "nine"}, {"seven", "two", "five"}, {"six", "zero", "three"}, {"eight", "one"}};
  for (const auto& words : rows) {
    add_number_case(check, {.words = words, .seed = seed++}, "Which digit is said first?",
                    value_of(words.front()));
    add_number_case(check, {.words = words, .seed = seed++}, "Which digit is said last?",
                    value_of(words.back()));
  }
  return check;
}

Check tones_check() {
  Check check = {
      "hear-tones", "how many beeps there are, and whether a tone goes up or down", {}, {}};
  constexpr double kPitches[] = {440, 880, 660, 550, 990, 770};
  for (int count = 1; count <= 6; ++count) {
    add_number_case(check,
                    beeps(count, kPitches[count - 1], 140 + static_cast<std::uint32_t>(count)),
                    "How many beeps are there?", count);
  }
  struct Glide {
    double from, to, seconds;
  };
  constexpr Glide kGlides[] = {{300, 900, 1.0}, {1200, 400, 1.0}, {500, 1500, 1.5},
                               {700, 250, 0.8}, {200, 600, 2.0},  {1600, 500, 1.5}};
  std::uint32_t seed = 151;
  for (const Glide& row : kGlides) {
    const std::string_view way = row.to > row.from ? "up" : "down";
    add_sound_case(check, {glide(row.from, row.to, row.seconds, seed++)},
                   "Does the pitch of the tone go up or down? Answer up or down.", way,
                   graders::names(way, {"up", "down"}));
  }
  return check;
}

Check two_sounds_check() {
  Check check = {
      "compare-sounds", "which of two sounds has it, and whether they are the same", {}, {}};
  const auto which = [&check](PlayedSound first, PlayedSound second, std::string_view question,
                              bool is_first) {
    const std::string_view place = is_first ? "first" : "second";
    add_sound_case(check, {std::move(first), std::move(second)},
                   fmt::format("{}, the first or the second?", question), place,
                   graders::names(place, {"first", "second"}))
        .kind = "first or second";
  };
  which({.words = {"stop"}, .seed = 161}, {.words = {"seven"}, .seed = 162},
        "In which sound is a digit said", false);
  which({.words = {"up"}, .seed = 163}, {.words = {"down"}, .seed = 164},
        "In which sound is the word \"up\" said", true);
  which(beeps(1, 600, 165), {.words = {"left"}, .seed = 166}, "Which sound is a voice", false);
  which(beeps(1, 1500, 167), beeps(1, 250, 168), "Which sound is higher", true);
  which(beeps(5, 500, 169), beeps(2, 500, 170), "Which sound has more beeps", true);
  which(glide(400, 400, 0.4, 171), glide(400, 400, 3, 172), "Which sound is longer", false);
  constexpr std::string_view kSame = "Are the two sounds the same? Answer yes or no.";
  const std::vector<PlayedSound> sounds = {
      {.words = {"nine"}, .seed = 181}, {.words = {"four", "go"}, .seed = 182}, beeps(3, 700, 183)};
  for (std::size_t i = 0; i < sounds.size(); ++i) {
    add_sound_case(check, {sounds[i], sounds[i]}, kSame, "yes", graders::affirms(true));
    add_sound_case(check, {sounds[i], sounds[(i + 1) % sounds.size()]}, kSame, "no",
                   graders::affirms(false));
  }
  return check;
}

}  // namespace pleiad::eval
