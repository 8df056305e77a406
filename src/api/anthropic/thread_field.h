#pragma once

#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/request_error.h"
#include "api/common/request_notes.h"

namespace pleiad::api::anthropic {

/// `thread` of a request: a conversation that the server is to hold, so that the client sends the
/// new messages alone. None is held here. Asked to begin one, the answer says so; a request that
/// continues one lacks the rest of its conversation, and is a RequestError.
void read_thread(FieldReader& body, RequestNotes& notes);

/// `error.details.error_code` of what was refused because of `thread`, on which clients send the
/// whole conversation by themselves; empty where it was something else.
std::string_view thread_error_code(const RequestError& error);

}  // namespace pleiad::api::anthropic
