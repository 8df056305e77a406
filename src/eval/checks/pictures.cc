// Pictures that are drawn for the question: what is in one, what is written in it, and which of two
// shows what.

#include "eval/checks/media_case.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

std::string plural_of(std::string_view shape) {
  return fmt::format("{}{}", shape, shape == "cross" ? "es" : "s");
}

/// One of them or several, and no other shape.
Grader names_shape(std::string_view shape) {
  std::vector<std::string> others;
  for (const std::string_view other : kSceneShapes) {
    if (other == shape) continue;
    others.emplace_back(other);
    others.push_back(plural_of(other));
  }
  return [one = graders::names(shape, others),
          several = graders::names(plural_of(shape), others)](const ChatReply& reply) {
    const Verdict verdict = one(reply);
    return verdict.right || !several(reply).right ? verdict : Verdict::good();
  };
}

std::vector<std::string> colours() { return {std::begin(kSceneColours), std::end(kSceneColours)}; }

/// The pictures, and behind them the question.
Case& add_picture_case(Check& check, std::vector<Scene> pictures, std::string_view question,
                       std::string_view answer, Grader grade) {
  Case& item = add_media_case(check, "image", pictures.size(), question, answer, std::move(grade));
  item.pictures = std::move(pictures);
  return item;
}

}  // namespace

Check shapes_in_pictures_check() {
  Check check = {"see-shapes", "the colour, the shape and the number of what is drawn", {}, {}};
  constexpr Scene kColoured[] = {
      {.colour = "red", .shape = "circle", .count = 1, .seed = 11},
      {.colour = "blue", .shape = "square", .count = 3, .seed = 12},
      {.colour = "yellow", .shape = "star", .count = 2, .seed = 13},
      {.colour = "green", .shape = "heart", .count = 4, .seed = 14},
      {.colour = "purple", .shape = "triangle", .count = 1, .seed = 15},
      {.colour = "black", .shape = "cross", .count = 5, .seed = 16},
  };
  for (const Scene& scene : kColoured) {
    add_picture_case(check, {scene}, "What colour is it?", scene.colour,
                     graders::names(scene.colour, colours()));
  }
  constexpr Scene kShaped[] = {
      {.colour = "blue", .shape = "circle", .count = 2, .seed = 21},
      {.colour = "green", .shape = "square", .count = 1, .seed = 22},
      {.colour = "red", .shape = "triangle", .count = 3, .seed = 23},
      {.colour = "orange", .shape = "star", .count = 1, .seed = 24},
      {.colour = "purple", .shape = "cross", .count = 1, .seed = 25},
      {.colour = "red", .shape = "heart", .count = 2, .seed = 26},
  };
  for (const Scene& scene : kShaped) {
    add_picture_case(check, {scene}, "What shape is in the picture?", scene.shape,
                     names_shape(scene.shape));
  }
  constexpr Scene kCounted[] = {
      {.colour = "green", .shape = "circle", .count = 1, .seed = 31},
      {.colour = "red", .shape = "square", .count = 2, .seed = 32},
      {.colour = "black", .shape = "star", .count = 3, .seed = 33},
      {.colour = "blue", .shape = "triangle", .count = 4, .seed = 34},
      {.colour = "orange", .shape = "circle", .count = 5, .seed = 35},
      {.colour = "purple", .shape = "heart", .count = 6, .seed = 36},
  };
  for (const Scene& scene : kCounted) {
    add_picture_case(check, {scene}, "How many shapes are in the picture?",
                     std::to_string(scene.count), graders::ends_with_number(scene.count));
  }
  return check;
}

Check text_in_pictures_check() {
  Check check = {"read-pictures", "numbers and short words written by hand", {}, {}};
  constexpr Scene kNumbers[] = {
      {.colour = "black", .text = "7", .seed = 41},   {.colour = "blue", .text = "4", .seed = 42},
      {.colour = "red", .text = "53", .seed = 43},    {.colour = "green", .text = "18", .seed = 44},
      {.colour = "purple", .text = "96", .seed = 45}, {.colour = "blue", .text = "207", .seed = 46},
  };
  for (const Scene& scene : kNumbers) {
    add_picture_case(check, {scene}, "What number is this?", scene.text,
                     graders::ends_with_number(std::stod(std::string(scene.text))));
  }
  constexpr Scene kWords[] = {
      {.colour = "black", .text = "dog", .seed = 51},
      {.colour = "red", .text = "tree", .seed = 52},
      {.colour = "blue", .text = "fish", .seed = 53},
      {.colour = "green", .text = "apple", .seed = 54},
      {.colour = "purple", .text = "moon", .seed = 55},
      {.colour = "black", .text = "milk", .seed = 56},
  };
  for (const Scene& scene : kWords) {
    add_picture_case(check, {scene}, "What word is this?", scene.text,
                     graders::has_word(scene.text));
  }
  return check;
}

Check two_pictures_check() {
  Check check = {
      "compare-pictures", "which of two pictures shows it, and whether they are the same", {}, {}};
  struct Pair {
    Scene first;
    Scene second;
    std::string_view what;
    bool is_first;
  };
  constexpr Pair kPairs[] = {
      {{.colour = "red", .shape = "circle", .count = 1, .seed = 61},
       {.colour = "red", .shape = "star", .count = 1, .seed = 62},
       "a star",
       false},
      {{.colour = "blue", .shape = "square", .count = 2, .seed = 63},
       {.colour = "green", .shape = "square", .count = 2, .seed = 64},
       "something blue",
       true},
      {{.colour = "black", .shape = "heart", .count = 1, .seed = 65},
       {.colour = "black", .shape = "heart", .count = 4, .seed = 66},
       "4 shapes",
       false},
      {{.colour = "yellow", .shape = "triangle", .count = 3, .seed = 67},
       {.colour = "blue", .text = "42", .seed = 68},
       "a number",
       false},
      {{.colour = "green", .text = "tree", .seed = 69},
       {.colour = "purple", .shape = "cross", .count = 2, .seed = 70},
       "a word",
       true},
      {{.colour = "orange", .shape = "circle", .count = 3, .seed = 71},
       {.colour = "purple", .shape = "circle", .count = 3, .seed = 72},
       "something orange",
       true},
  };
  for (const Pair& pair : kPairs) {
    const std::string_view place = pair.is_first ? "first" : "second";
    add_picture_case(check, {pair.first, pair.second},
                     fmt::format("Which picture shows {}, the first or the second?", pair.what),
                     place, graders::names(place, {"first", "second"}))
        .kind = "first or second";
  }
  constexpr std::string_view kSame = "Are the two pictures the same? Answer yes or no.";
  constexpr Scene kScenes[] = {
      {.colour = "red", .shape = "circle", .count = 2, .seed = 81},
      {.colour = "blue", .shape = "star", .count = 1, .seed = 82},
      {.colour = "green", .text = "31", .seed = 83},
  };
  for (std::size_t i = 0; i < std::size(kScenes); ++i) {
    add_picture_case(check, {kScenes[i], kScenes[i]}, kSame, "yes", graders::affirms(true));
    add_picture_case(check, {kScenes[i], kScenes[(i + 1) % std::size(kScenes)]}, kSame, "no",
                     graders::affirms(false));
  }
  return check;
}

}  // namespace pleiad::eval
