#include <bitcoinfuzz/basemodule.h>

struct slhc_context;

namespace bitcoinfuzz {
namespace module {
class SLHConsensus : public BaseModule {
public:
  SLHConsensus(void);
  ~SLHConsensus() noexcept override;
  std::optional<bool> verify_spend(const Spend &spend) const override;

private:
  slhc_context *m_context;
};
} // namespace module
} // namespace bitcoinfuzz
