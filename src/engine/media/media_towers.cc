#include "engine/media/media_towers.h"

#include "engine/loaded_model.h"

namespace pleiad {

MediaTowers towers_of(LoadedModel& model, MediaTowers given) {
  if (!given.vision) given.vision = [&model]() -> VisionEncoder& { return model.vision(); };
  if (!given.audio) given.audio = [&model]() -> AudioEncoder& { return model.audio(); };
  return given;
}

}  // namespace pleiad
