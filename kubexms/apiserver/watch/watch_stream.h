#pragma once

// A watch as the body of a response: its events, each as one JSON document a line. An event is the
// stored bytes between two constants.

#include <memory>

#include "kubexms/apiserver/watch/wake_timer.h"
#include "kubexms/apiserver/watch/watch_events.h"
#include "kubexms/net/http/response_stream.h"

namespace kubexms {

// `timer` must outlive the stream.
std::unique_ptr<ResponseStream> MakeWatchStream(std::unique_ptr<WatchEvents> events,
                                                WakeTimer& timer);

}  // namespace kubexms
