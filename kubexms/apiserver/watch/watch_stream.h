#pragma once

// A watch as the body of a response: one JSON document a line for each event, framed around the
// stored bytes.

#include <memory>

#include "kubexms/apiserver/watch/wake_timer.h"
#include "kubexms/apiserver/watch/watch_events.h"
#include "kubexms/net/http/response_stream.h"

namespace kubexms {

// `timer` must outlive the stream.
std::unique_ptr<ResponseStream> MakeWatchStream(std::unique_ptr<WatchEvents> events,
                                                WakeTimer& timer);

}  // namespace kubexms
