#pragma once

// Helpers for nghttp2, shared by client and server. Include it in .cc files only.

#include <nghttp2/nghttp2.h>

#include <memory>
#include <string_view>

namespace kubexms {

struct Http2SessionDeleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using Http2SessionPtr = std::unique_ptr<nghttp2_session, Http2SessionDeleter>;

inline std::string_view ToView(const uint8_t* text, size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

// Borrows both texts: they must outlive the call that passes the header to nghttp2.
inline nghttp2_nv ToNameValue(std::string_view name, std::string_view value) {
  auto* n = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data()));
  auto* v = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data()));
  return {n, v, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace kubexms
