#pragma once

#include "base/error.h"

namespace pleiad::media {

/// Why a document cannot be read: a sentence without its subject, "unpacks to more than 100 MB".
class BadMarkup : public Error {
 public:
  using Error::Error;
};

}  // namespace pleiad::media
