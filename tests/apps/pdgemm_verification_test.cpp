// That the verification of pdgemm.fmpl sees what it is there to see: it must fail for wrong products.
#include "program/verification.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace {

using namespace fmpl::pdgemm;

constexpr ProcessGrid one_process{0, 1, 1, 0, 0};

template <class T>
class PdgemmVerification : public ::testing::Test {
protected:
    using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

    PdgemmVerification()
    {
        options_.m = 9;
        options_.n = 7;
        options_.k = 11;
        options_.transa = 'C';
        options_.beta = 0.5;
        for (MatrixOptions* matrix : {&options_.a, &options_.b, &options_.c}) *matrix = {{2, 3}, {1, 2}, {0, 0}};
        a_.emplace('A', options_.a, options_.k, options_.m, one_process, 0);
        b_.emplace('B', options_.b, options_.k, options_.n, one_process, 0);
        c_.emplace('C', options_.c, options_.m, options_.n, one_process, 0);
        // The definition, element by element.
        result_.resize(c_->rows.size(), c_->columns.size());
        for (int j = 0; j < result_.cols(); ++j) {
            for (int i = 0; i < result_.rows(); ++i) result_(i, j) = initial(i, j);
        }
        for (int j = 0; j < options_.n; ++j) {
            for (int i = 0; i < options_.m; ++i) {
                Wide sum = Wide(0.5) * static_cast<Wide>(initial(1 + i, 2 + j));
                for (int l = 0; l < options_.k; ++l) {
                    Wide x = static_cast<Wide>(element<T>(options_.seed, 'A', 1 + l, 2 + i));
                    if constexpr (is_complex<T>) x = std::conj(x);
                    sum += x * static_cast<Wide>(element<T>(options_.seed, 'B', 1 + l, 2 + j));
                }
                result_(1 + i, 2 + j) = static_cast<T>(sum);
            }
        }
    }

    T initial(int i, int j) const { return element<T>(options_.seed, 'C', i, j); }

    Verdict verdict() const
    {
        return compare_with_reference<T>(
            options_, *a_, *b_, *c_, result_, [this](int i, int j) { return initial(i, j); });
    }

    ProgramOptions options_;
    std::optional<TestMatrix> a_, b_, c_;
    Matrix<T> result_;
};

using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PdgemmVerification, Types);

TYPED_TEST(PdgemmVerification, TheDefinitionPasses)
{
    EXPECT_TRUE(this->verdict().passed());
    EXPECT_LT(this->verdict().residual, 2.0);
}

TYPED_TEST(PdgemmVerification, OneWrongElementFails)
{
    this->result_(9, 8) += TypeParam(0.01f);
    EXPECT_GT(this->verdict().residual, residual_limit);
    EXPECT_TRUE(this->verdict().outside_unchanged);
}

TYPED_TEST(PdgemmVerification, ANaNFails)
{
    this->result_(4, 4) = TypeParam(std::numeric_limits<float>::quiet_NaN());
    EXPECT_FALSE(this->verdict().passed());
}

TYPED_TEST(PdgemmVerification, AChangedElementOutsideFails)
{
    for (const auto& [i, j] : {std::pair{0, 4}, {10, 4}, {4, 1}, {4, 9}}) {
        const TypeParam kept = this->result_(i, j);
        this->result_(i, j) = -kept;
        EXPECT_FALSE(this->verdict().outside_unchanged) << i << ", " << j;
        EXPECT_FALSE(this->verdict().passed());
        this->result_(i, j) = kept;
    }
    EXPECT_TRUE(this->verdict().passed());
}

}  // namespace
