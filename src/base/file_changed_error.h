#pragma once

#include "base/error.h"

namespace pleiad {

/// A file that was changed, or could not be read any more, while it was in use: what was made of
/// it is to be thrown away.
class FileChangedError : public LoadError {
 public:
  using LoadError::LoadError;
};

}  // namespace pleiad
