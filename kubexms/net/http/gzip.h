#pragma once

// Compression of answers, for clients that ask for it.

#include <string_view>

#include "kubexms/net/http/http.h"

namespace kubexms {

// Compresses the answer in place when it is complete (not a stream), larger than 128 KiB, not
// encoded yet, and the client said that it takes gzip. At level 1, as Kubernetes does: most of the
// gain for a fraction of the work.
void CompressForClient(bool client_takes_gzip, HttpResponse& response);
bool IsWorthCompressing(bool client_takes_gzip, const HttpResponse& response);

// True when Accept-Encoding allows gzip.
bool TakesGzip(const HttpHeaders& request_headers);

Result<Body> Gzip(const Body& body);
// Fails for what is not gzip, and beyond `max_bytes` of output.
Result<std::string> Gunzip(std::string_view compressed, size_t max_bytes);

}  // namespace kubexms
