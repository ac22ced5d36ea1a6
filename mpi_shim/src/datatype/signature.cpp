#include "datatype/signature.hpp"

#include "datatype/checked.hpp"

namespace fmpl::mpi {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x1d3c8f5a7b92e641 % kModulus;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b)
{
    // A Mersenne modulus: what is above bit 61 counts once more from below.
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t folded =
        static_cast<std::uint64_t>(product & kModulus) + static_cast<std::uint64_t>(product >> 61);
    return folded >= kModulus ? folded - kModulus : folded;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b)
{
    const std::uint64_t sum = a + b;
    return sum >= kModulus ? sum - kModulus : sum;
}

}  // namespace

Signature::Hash Signature::Hash::followed_by(const Hash& other) const
{
    return {add(value, multiply(power, other.value)), multiply(power, other.power)};
}

Signature::Hash Signature::Hash::repeated(std::int64_t times) const
{
    Hash result;
    Hash doubled = *this;
    for (; times > 0; times >>= 1) {
        if (times & 1) result = result.followed_by(doubled);
        if (times > 1) doubled = doubled.followed_by(doubled);
    }
    return result;
}

Signature::Signature(Predefined type)
{
    const PredefinedInfo& about = info(type);
    if (about.kind == Kind::marker) return;
    if (about.kind == Kind::pair) {
        *this = Signature(about.first).followed_by(Signature(about.second));
        return;
    }
    elements_ = 1;
    uniform_ = type;
}

Signature::Hash Signature::hash() const
{
    if (!uniform_) return mixed_;
    return Hash{static_cast<std::uint64_t>(*uniform_) + 1, kBase}.repeated(elements_);
}

Signature Signature::followed_by(const Signature& other) const
{
    if (elements_ == 0) return other;
    if (other.elements_ == 0) return *this;
    Signature both;
    both.elements_ = checked_add(elements_, other.elements_);
    if (uniform_ && uniform_ == other.uniform_) {
        both.uniform_ = uniform_;
    } else {
        both.mixed_ = hash().followed_by(other.hash());
    }
    return both;
}

Signature Signature::repeated(std::int64_t times) const
{
    Signature result;
    result.elements_ = checked_multiply(elements_, times);
    if (result.elements_ == 0) return result;
    result.uniform_ = uniform_;
    if (!uniform_) result.mixed_ = mixed_.repeated(times);
    return result;
}

}  // namespace fmpl::mpi
