#pragma once

#include "base/error.h"

namespace pleiad::media {

/// This machine lacks programs that read such documents. What it says is a sentence without its
/// subject that names them and their package: "cannot be read: pdftoppm is not installed here
/// (...)".
class MissingPrograms : public Error {
 public:
  using Error::Error;
};

}  // namespace pleiad::media
