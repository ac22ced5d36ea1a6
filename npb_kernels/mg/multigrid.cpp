#include "multigrid.hpp"

#include <algorithm>
#include <cmath>

namespace fmpl::npb::mg {

namespace {

// Matching indices: those of the gathered levels, of u of the finest level, and then of each level.
constexpr int kGatherIndex = 0;
constexpr int kSolutionIndex = kGatherIndex + GatheredLevels::kIndices;
constexpr int kLevelIndex = kSolutionIndex + HaloExchange::kIndices;
constexpr int kIndicesOfLevel = 2 * HaloExchange::kIndices;
static_assert(kLevelIndex + 14 * kIndicesOfLevel <= Group::kIndices, "more levels than a grid of any size has");

}  // namespace

Multigrid::Level::Level(Communication& communication, const Domain& domain, int level, int index)
    : r(domain.box(level), kCoarseResidualHalo, Grid::Place::own, communication),
      u(domain.box(level), kCoarseSolutionHalo, Grid::Place::own, communication),
      exchange_r(communication, domain, r, index),
      exchange_u(communication, domain, u, index + HaloExchange::kIndices)
{
}

Multigrid::Multigrid(Communication& communication, const Domain& domain, const Coefficients& smoother)
    : communication_(communication),
      domain_(domain),
      u_{Grid(domain.box(domain.finest()), kSolutionHalo, Grid::Place::own, communication),
          Grid(domain.box(domain.finest()), kSolutionHalo, Grid::Place::own, communication)},
      v_(domain.box(domain.finest()), kRightHandSideHalo, Grid::Place::own, communication),
      // One of the two has receives posted at a time: they share the indices.
      exchanges_{HaloExchange(communication, domain, u_[0], kSolutionIndex),
          HaloExchange(communication, domain, u_[1], kSolutionIndex)},
      gathered_(communication, domain, smoother, kGatherIndex),
      sweep_(domain.box(domain.finest()), smoother),
      charges_(find_charges(communication.world(), domain))
{
    set_right_hand_side(v_, domain, charges_);
    for (int level = domain.gathered_level() + 1; level < domain.finest(); ++level) {
        const int index = kLevelIndex + static_cast<int>(levels_.size()) * kIndicesOfLevel;
        levels_.push_back(std::make_unique<Level>(communication, domain, level, index));
    }
    // The first exchange of a grid maps the neighbours' pages. The untimed cycle ends without an exchange of u.
    for (HaloExchange& exchange : exchanges_) {
        exchange.post();
        exchange.exchange();
    }
}

void Multigrid::reset()
{
    u_[present_].fill_with_zero();
}

double Multigrid::norm(double squares)
{
    const double points = std::pow(static_cast<double>(1 << domain_.finest()), kDimensions);
    return std::sqrt(communication_.world().sum(squares) / points);
}

double Multigrid::start()
{
    return norm(sweep_.finest({.u = u_[present_], .v = v_, .restricted = &coarse_right_hand_side(), .norm = true}));
}

double Multigrid::cycle(bool last)
{
    Grid& next = u_[1 - present_];
    HaloExchange& exchange_next = exchanges_[1 - present_];
    // Nobody reads the halos that are filled from here on: all receives of the cycle can wait for their messages
    // already.
    if (!last) exchange_next.post();
    for (const auto& level : levels_) {
        level->exchange_r.post();
        level->exchange_u.post();
    }
    gathered_.post();

    for (std::size_t at = levels_.size(); at-- > 0;) {
        Level& level = *levels_[at];
        level.exchange_r.exchange();
        sweep_.restrict_stored(level.r, at > 0 ? levels_[at - 1]->r : gathered_.right_hand_side());
    }
    gathered_.solve();
    const Grid* coarse = &gathered_.solution();
    for (const auto& level : levels_) {
        sweep_.coarse(level->r, coarse, level->u);
        level->exchange_u.exchange();
        coarse = &level->u;
    }
    const double squares = sweep_.finest({.u = u_[present_],
        .v = v_,
        .coarse = coarse,
        .corrected = &next,
        .restricted = last ? nullptr : &coarse_right_hand_side(),
        .norm = last});
    present_ = 1 - present_;
    if (last) return norm(squares);
    exchange_next.exchange();
    return 0;
}

std::size_t Multigrid::bytes(const Domain& domain)
{
    const Box finest = domain.box(domain.finest());
    std::size_t bytes = 2 * (Grid::bytes(finest, kSolutionHalo) + HaloExchange::bytes(finest, kSolutionHalo)) +
                        Grid::bytes(finest, kRightHandSideHalo) + FusedSweep::bytes(finest) +
                        GatheredLevels::bytes(domain);
    for (int level = domain.gathered_level() + 1; level < domain.finest(); ++level) {
        for (const Halo halo : {kCoarseResidualHalo, kCoarseSolutionHalo}) {
            bytes += Grid::bytes(domain.box(level), halo) + HaloExchange::bytes(domain.box(level), halo);
        }
    }
    return bytes;
}

}  // namespace fmpl::npb::mg
