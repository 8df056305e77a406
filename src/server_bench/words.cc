#include "server_bench/words.h"

namespace pleiad::server_bench {
namespace {

// Short, common, and a token of their own in most vocabularies; which of them are is
// found out for each model.
constexpr std::string_view kWords[] = {
    "air",    "arm",      "art",     "baby",   "back",   "ball",   "band",    "bank",   "base",
    "bath",   "bear",     "bed",     "bird",   "blood",  "blue",   "board",   "boat",   "body",
    "bone",   "book",     "box",     "boy",    "brain",  "bread",  "bridge",  "brown",  "bus",
    "cake",   "camp",     "car",     "card",   "cat",    "chain",  "chair",   "city",   "class",
    "clock",  "cloud",    "club",    "coat",   "code",   "coffee", "cold",    "color",  "cook",
    "corn",   "cost",     "country", "cow",    "cross",  "crowd",  "cup",     "dance",  "dark",
    "day",    "deep",     "desk",    "dish",   "doctor", "dog",    "door",    "dream",  "dress",
    "drink",  "driver",   "dust",    "ear",    "earth",  "east",   "edge",    "egg",    "end",
    "engine", "evening",  "eye",     "face",   "fall",   "farm",   "father",  "field",  "fire",
    "fish",   "flag",     "floor",   "flower", "food",   "foot",   "forest",  "friend", "fruit",
    "game",   "garden",   "gas",     "gate",   "gift",   "girl",   "glass",   "gold",   "grass",
    "green",  "ground",   "group",   "gun",    "hair",   "hand",   "hat",     "head",   "heart",
    "heat",   "hill",     "home",    "horse",  "hotel",  "hour",   "house",   "ice",    "island",
    "job",    "key",      "king",    "knife",  "lake",   "land",   "law",     "leaf",   "leg",
    "letter", "light",    "line",    "lion",   "list",   "lunch",  "machine", "man",    "map",
    "market", "meat",     "metal",   "milk",   "mind",   "money",  "month",   "moon",   "morning",
    "mother", "mountain", "mouth",   "music",  "name",   "neck",   "news",    "night",  "north",
    "nose",   "ocean",    "office",  "oil",    "page",   "paint",  "paper",   "park",   "party",
    "people", "phone",    "picture", "plane",  "plant",  "plate",  "queen",   "radio",  "rain",
    "red",    "river",    "road",    "rock",   "room",   "salt",   "sand",    "school", "sea",
    "ship",   "shirt",    "shop",    "silver", "sister", "sky",    "snow",    "song",   "stone"};

}  // namespace

std::span<const std::string_view> words() { return kWords; }

}  // namespace pleiad::server_bench
