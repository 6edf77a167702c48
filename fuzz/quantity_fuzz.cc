#include <cstdint>
#include <string_view>

#include "kubexms/api/values/quantity.h"
#include "kubexms/base/check.h"

// A parsed quantity is written as text that parses to the same value and is written the same again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kubexms::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const kubexms::Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) return 0;
  const kubexms::Result<Quantity> again = Quantity::Parse(quantity->ToString());
  KUBEXMS_CHECK(again.ok());
  KUBEXMS_CHECK(*again == *quantity);

  Quantity doubled = *quantity;
  doubled.Add(*quantity);
  Quantity product = *quantity;
  product.MulInt(2);
  KUBEXMS_CHECK(doubled.Sign() == quantity->Sign());
  KUBEXMS_CHECK(doubled == product);
  KUBEXMS_CHECK(Quantity::Parse(doubled.ToString()).ok());
  doubled.Sub(*quantity);
  (void)doubled.Value();
  (void)doubled.AsDouble();
  return 0;
}
