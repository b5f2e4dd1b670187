#include "module.h"

#include <slhconsensus.h>

#include <cstdlib>
#include <vector>

namespace bitcoinfuzz {
namespace module {
SLHConsensus::SLHConsensus(void) : BaseModule("SLHConsensus") {
  slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
  options.backend = "cpu";
  options.threads = 1;
  m_context = slhc_context_create(&options);
  if (m_context == nullptr)
    std::abort();
}

SLHConsensus::~SLHConsensus() noexcept { slhc_context_destroy(m_context); }

std::optional<bool> SLHConsensus::verify_spend(const Spend &spend) const {
  std::vector<std::vector<uint8_t>> serialized;
  std::vector<slhc_bytes> outputs;
  for (const SpentOutput &output : spend.spent_outputs)
    serialize(output, serialized.emplace_back());
  for (const auto &bytes : serialized)
    outputs.push_back({bytes.data(), bytes.size()});

  slhc_tx *tx = slhc_tx_create({spend.tx.data(), spend.tx.size()},
                               outputs.data(), outputs.size());
  if (tx == nullptr)
    return false;
  const int verdict = slhc_verify_input(m_context, tx, spend.input, spend.flags,
                                        nullptr, nullptr, 0, nullptr);
  slhc_tx_destroy(tx);
  if (verdict == SLHC_ERROR)
    return std::nullopt;
  return verdict == SLHC_VALID;
}
} // namespace module
} // namespace bitcoinfuzz
