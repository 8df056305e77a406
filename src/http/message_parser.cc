#include "http/message_parser.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>

#include "http/ascii.h"

namespace pleiad::http {
namespace {
namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;
using beast::http::error;
}  // namespace

class MessageParser::Impl : public beast::http::basic_parser<true> {
 public:
  Impl(std::uint32_t header_bytes, std::uint32_t header_fields)
      : header_bytes_(header_bytes), header_fields_(header_fields) {
    header_limit(header_bytes);
    body_limit(std::numeric_limits<std::uint64_t>::max());  // whoever reads the body counts
  }

  std::size_t read(std::string_view bytes, std::vector<std::string_view>& body) {
    const bool had_head = is_header_done();
    body_ = &body;
    std::size_t used = 0;
    while (used < bytes.size() && !refusal_ && !is_done() && had_head == is_header_done()) {
      // Beast takes "0\r\n\r" for a mistake of its caller's; a last chunk has five bytes.
      if (at_chunk_size_ && bytes[used] == '0' && bytes.size() - used < 5) break;
      error_code code;
      used += put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), code);
      // A chunk's size, its extensions and the trailer are no longer than a head.
      const bool stuck = code == error::need_more && bytes.size() - used > header_bytes_;
      if (code == error::need_more && !stuck) break;
      if (code) refuse(code, bytes.substr(used));
    }
    return used;
  }

  RawHead head_;
  std::optional<Refusal> refusal_;

 private:
  void refuse(error_code code, std::string_view rest) {
    if (refusal_) return;
    const bool in_line =
        head_.method.empty() && rest.substr(0, header_bytes_).find('\n') == std::string_view::npos;
    if (code == error::header_limit && in_line) {
      refusal_ = {414, fmt::format("the request line is longer than {} bytes", header_bytes_)};
    } else if (code == error::header_limit) {
      refusal_ = {431, fmt::format("the headers are longer than {} bytes", header_bytes_)};
    } else {
      refusal_ = {400, fmt::format("this is not an HTTP/1.1 request: {}", code.message())};
    }
  }

  void on_request_impl(beast::http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head_.method.assign(method.data(), method.size());
    head_.target.assign(target.data(), target.size());
    head_.version = version;
  }
  void on_field_impl(beast::http::field, string_view name, string_view value,
                     error_code& code) override {
    if (is_header_done() || in_body_) return;  // a trailer: nothing that we need
    if (head_.headers.size() == header_fields_) {
      refusal_ = {431, fmt::format("the request has more than {} headers", header_fields_)};
      code = error::header_limit;
      return;
    }
    head_.headers.emplace_back(lowered({name.data(), name.size()}),
                               std::string(value.data(), value.size()));
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {
    in_body_ = true;
  }
  std::size_t on_body_impl(string_view piece, error_code&) override {
    body_->emplace_back(piece.data(), piece.size());
    return piece.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t left, string_view piece, error_code&) override {
    body_->emplace_back(piece.data(), piece.size());
    at_chunk_size_ = left == piece.size();
    return piece.size();
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override { at_chunk_size_ = chunked(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {
    at_chunk_size_ = false;
  }
  void on_finish_impl(error_code&) override {}

  std::uint32_t header_bytes_;
  std::uint32_t header_fields_;
  std::vector<std::string_view>* body_ = nullptr;
  bool in_body_ = false;
  bool at_chunk_size_ = false;
};

MessageParser::MessageParser(std::uint32_t header_bytes, std::uint32_t header_fields)
    : impl_(std::make_unique<Impl>(header_bytes, header_fields)) {}
MessageParser::~MessageParser() = default;

std::size_t MessageParser::put(std::string_view bytes, std::vector<std::string_view>& body) {
  return impl_->read(bytes, body);
}
bool MessageParser::has_head() const { return impl_->is_header_done(); }
bool MessageParser::is_done() const { return impl_->is_done(); }
const std::optional<Refusal>& MessageParser::refusal() const { return impl_->refusal_; }
RawHead& MessageParser::head() { return impl_->head_; }

}  // namespace pleiad::http
