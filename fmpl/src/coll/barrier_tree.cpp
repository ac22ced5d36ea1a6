// The software barrier: empty messages up a binomial tree to rank 0 and down again.
//
// Cost with p ranks: 2 ceil(log2 p) message latencies, 2 (p - 1) messages.
#include "coll/collectives.hpp"

namespace fmpl {

void Collectives::barrier_tree(Meeting& m)
{
    const int rank = m.rank();
    const int size = m.size();
    int parent_bit = 1;
    // Up: collect the subtree, then tell the parent.
    for (; parent_bit < size; parent_bit <<= 1) {
        if ((rank & parent_bit) != 0) {
            tree_send(m, rank - parent_bit, nullptr, 0);
            tree_recv(m, rank - parent_bit, nullptr, 0);
            break;
        }
        if (rank + parent_bit < size) tree_recv(m, rank + parent_bit, nullptr, 0);
    }
    // Down: release the subtree, the largest part first.
    for (int bit = parent_bit >> 1; bit > 0; bit >>= 1) {
        if (rank + bit < size) tree_send(m, rank + bit, nullptr, 0);
    }
}

}  // namespace fmpl
