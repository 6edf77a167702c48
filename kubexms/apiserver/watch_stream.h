#pragma once

// A watch as the body of a response: what is there at first, where that is asked for, and then
// every change, each once and in order, as one JSON document a line. It holds no thread and copies
// no object: an event is the stored bytes between two constants.

#include <memory>
#include <string>

#include "kubexms/apiserver/object_reader.h"
#include "kubexms/apiserver/request.h"
#include "kubexms/apiserver/resource.h"
#include "kubexms/apiserver/wake_timer.h"
#include "kubexms/base/random.h"
#include "kubexms/net/response_stream.h"
#include "kubexms/store/store.h"

namespace kubexms {

// How the object of an event is shown. One format belongs to one stream.
class EventFormat {
 public:
  virtual ~EventFormat() = default;
  // The object as it stands in the event.
  virtual Result<SharedBytes> Show(const SharedBytes& object) = 0;
};

struct WatchStreamOptions {
  store::Store& store;
  WakeTimer& timer;
  Random& random;
  ResourcePtr resource;
  std::string name_space;  // empty: all
  ListQuery query;
  std::unique_ptr<EventFormat> format;  // null: objects as they are stored
};

// Fails for what a client is told with an HTTP status: wrong selectors, a store that is down. A
// version that is too old is told in the stream, as Kubernetes does.
Result<std::unique_ptr<ResponseStream>> OpenWatchStream(WatchStreamOptions options);

}  // namespace kubexms
