#pragma once

// Small things that all uses of OpenSSL need: what went wrong inside it, in words, and how its
// objects are freed.

#include <string>

namespace kubexms {

// The reasons that OpenSSL has queued on this thread, oldest first, and empties the queue.
std::string TakeOpenSslErrors();

// std::unique_ptr<X509, OpenSslFree<X509_free>>
template <auto Free>
struct OpenSslFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace kubexms
