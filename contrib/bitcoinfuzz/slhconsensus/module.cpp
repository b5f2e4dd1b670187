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
  // The outputs as a transaction has them: amount, size, script.
  std::vector<std::vector<uint8_t>> serialized;
  std::vector<slhc_bytes> outputs;
  for (const SpentOutput &output : spend.spent_outputs) {
    std::vector<uint8_t> &bytes = serialized.emplace_back();
    const auto number = [&](uint64_t value, int size) {
      for (int i = 0; i < size; ++i)
        bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
    };
    const size_t size = output.script_pubkey.size();
    number(static_cast<uint64_t>(output.amount), 8);
    if (size < 253) {
      number(size, 1);
    } else {
      number(size <= 0xffff ? 253 : 254, 1);
      number(size, size <= 0xffff ? 2 : 4);
    }
    bytes.insert(bytes.end(), output.script_pubkey.begin(),
                 output.script_pubkey.end());
  }
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
