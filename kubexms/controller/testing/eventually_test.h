#pragma once

// Waiting, in tests, for what other threads bring about.

#include <chrono>
#include <thread>

namespace kubexms {

// True as soon as `condition()` is; false when that takes unreasonably long.
template <class Condition>
bool Eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace kubexms
