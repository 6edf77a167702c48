#pragma once

// Helpers for OpenSSL: error messages and deleters.

#include <string>

namespace kubexms {

// Returns and clears the errors in OpenSSL's queue of this thread, oldest first.
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
