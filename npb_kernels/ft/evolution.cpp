#include "evolution.hpp"

#include <cmath>
#include <numbers>

namespace fmpl::npb::ft {

Evolution::Evolution(const Distribution& distribution)
    : distribution_(distribution),
      by_x_(distribution.columns()),
      by_y_(distribution.spectral_lines()),
      by_z_(distribution.grid().nz)
{
}

void Evolution::tabulate(std::vector<double>& table, int t, std::size_t first, std::size_t n)
{
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t index = first + i;
        const double frequency = static_cast<double>(index) - (index < n / 2 ? 0 : static_cast<double>(n));
        table[i] = std::exp(-4 * kAlpha * std::numbers::pi * std::numbers::pi * t * frequency * frequency);
    }
}

void Evolution::set_time(int t)
{
    tabulate(by_x_, t, distribution_.first_column(), distribution_.grid().nx);
    tabulate(by_y_, t, distribution_.first_spectral_line(), distribution_.grid().ny);
    tabulate(by_z_, t, 0, distribution_.grid().nz);
}

Factors Evolution::factors(std::size_t x_block, std::size_t line)
{
    for (std::size_t lane = 0; lane < by_column_.size(); ++lane) {
        by_column_[lane] = by_x_[x_block * by_column_.size() + lane] * by_y_[line];
    }
    return {by_z_.data(), by_column_.data()};
}

}  // namespace fmpl::npb::ft
