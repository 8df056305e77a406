#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eval/pictures/canvas.h"
#include "model/picture_input.h"

namespace pleiad::eval {

/// Names that scenes are drawn by.
inline constexpr std::string_view kSceneShapes[] = {"circle", "square", "triangle",
                                                    "star",   "cross",  "heart"};
inline constexpr std::string_view kSceneColours[] = {"red",    "green",  "blue", "yellow",
                                                     "orange", "purple", "black"};

/// What a picture of the battery shows: shapes of one kind and colour, or a text written by hand.
struct Scene {
  std::string_view colour;
  std::string_view shape = {};  // of kSceneShapes; empty: the text
  int count = 0;                // 1 to 6 shapes
  std::string_view text = {};   // digits, letters from a to z
  std::uint32_t seed = 1;       // where everything stands, how large it is, and the paper's colour
};

/// The outline of a shape of that radius around a point, turned by an angle. An unknown name is a
/// CHECK.
std::vector<Point> shape_outline(std::string_view shape, Point center, double radius, double angle);

/// Draws a scene at the size that a model is shown a square picture (a text: one twice as wide as
/// high) at that budget of soft tokens; nothing is resized. The same scene and budget, the same
/// picture.
PictureInput draw_scene(const Scene& scene, int budget);

}  // namespace pleiad::eval
