#pragma once

// Compression of responses.

#include <string_view>

#include "kubexms/net/http/http.h"

namespace kubexms {

// Compresses the response in place if it is complete (not a stream), larger than 128 KiB, not
// encoded yet, and the client accepts gzip. Uses level 1, as Kubernetes does: most of the gain for
// a fraction of the work.
void CompressForClient(bool client_accepts_gzip, HttpResponse& response);
bool IsWorthCompressing(bool client_accepts_gzip, const HttpResponse& response);

// Whether Accept-Encoding allows gzip.
bool AcceptsGzip(const HttpHeaders& request_headers);

Result<Body> Gzip(const Body& body);
// Fails for data that is not gzip, and for more than `max_bytes` of output.
Result<std::string> Gunzip(std::string_view compressed, size_t max_bytes);

}  // namespace kubexms
