#include "inner_order.hpp"

#include "equal_share.hpp"

#include <algorithm>

namespace fmpl::pdgemm {
namespace {

// The runs of each pair of owners, in the order of k.
std::vector<std::vector<Run>> runs_by_owners(const BlockCyclic& a, const BlockCyclic& b)
{
    std::vector<std::vector<Run>> pairs(
        static_cast<std::size_t>(a.processes()) * static_cast<std::size_t>(b.processes()));
    std::vector<int> next_a(static_cast<std::size_t>(a.processes()), 0);
    std::vector<int> next_b(static_cast<std::size_t>(b.processes()), 0);
    for (int begin = 0; begin < a.size();) {
        const int end = std::min(a.block_end(begin), b.block_end(begin));
        const int width = end - begin;
        const int a_owner = a.owner(begin);
        const int b_owner = b.owner(begin);
        int& a_local = next_a[static_cast<std::size_t>(a_owner)];
        int& b_local = next_b[static_cast<std::size_t>(b_owner)];
        std::vector<Run>& runs =
            pairs[static_cast<std::size_t>(a_owner) * next_b.size() + static_cast<std::size_t>(b_owner)];
        if (!runs.empty() && runs.back().a.local + runs.back().width == a_local &&
            runs.back().b.local + runs.back().width == b_local) {
            runs.back().width += width;
        } else {
            runs.push_back({width, {a_owner, a_local}, {b_owner, b_local}});
        }
        a_local += width;
        b_local += width;
        begin = end;
    }
    return pairs;
}

}  // namespace

InnerOrder::InnerOrder(const BlockCyclic& a, const BlockCyclic& b, const ChunkRule& rule)
{
    int open = 0;  // width of the chunk that is being gathered
    const auto close = [&] {
        if (open == 0) return;
        widest_ = std::max(widest_, open);
        open = 0;
        ends_.push_back(runs_.size());
    };
    const auto add = [&](const Run& run, int begin, int width) {
        runs_.push_back({width, {run.a.owner, run.a.local + begin}, {run.b.owner, run.b.local + begin}});
        open += width;
    };
    for (const std::vector<Run>& runs : runs_by_owners(a, b)) {
        const auto is_wide = [&](const Run& run) { return run.width >= rule.least_alone; };
        const bool gathers = !std::all_of(runs.begin(), runs.end(), is_wide);
        if (runs.empty()) continue;
        if (!gathers) {
            close();
            for (const Run& run : runs) {
                const int share = equal_share(run.width, rule.widest);
                for (int begin = 0; begin < run.width; begin += share) {
                    add(run, begin, std::min(share, run.width - begin));
                    close();
                }
            }
            continue;
        }
        const int share = std::max(equal_share(open + width_of(runs), rule.widest), rule.least);
        for (const Run& run : runs) {
            for (int begin = 0; begin < run.width;) {
                const int width = std::min(share - open, run.width - begin);
                add(run, begin, width);
                begin += width;
                if (open >= share) close();
            }
        }
        if (open >= rule.least) close();
    }
    close();
}

}  // namespace fmpl::pdgemm
