#pragma once

// Randomness as a dependency, like time: programs use SystemRandom, tests and simulations a
// SeededRandom that repeats itself.

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "kubexms/base/mutex.h"

namespace kubexms {

class Random {
 public:
  virtual ~Random() = default;

  // Fills `bytes`. Safe to call from any thread.
  virtual void Fill(std::span<uint8_t> bytes) = 0;

  std::string Bytes(size_t count);
  uint64_t Next();
  // Evenly distributed in [0, bound); `bound` must not be zero.
  uint64_t Below(uint64_t bound);
  // Evenly distributed in [0, 1): for jitter.
  double Fraction();
  // A random (version 4) UUID, as objects have as uid.
  std::string Uuid();
  // What Kubernetes appends to generated names: characters that spell no words and are not
  // mistaken for each other.
  std::string NameSuffix(size_t length = 5);
};

// The kernel's generator: fit for keys and tokens.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<uint8_t> bytes) override;
};

// The same sequence for the same seed. Not for keys and tokens.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}
  void Fill(std::span<uint8_t> bytes) override;

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
