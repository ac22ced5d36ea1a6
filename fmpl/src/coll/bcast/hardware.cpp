#include "coll/bcast/hardware.hpp"

#include "coll/bcast/choose.hpp"

namespace fmpl {

void bcast_hardware(Meeting& m, void* buffer, const Columns* columns, std::size_t bytes, int root)
{
    if (is_partitioned(m, bytes)) {  // before others count on this rank
        m.broadcasts.served.reserve(static_cast<std::size_t>(m.size()));
        m.broadcasts.served_at.reserve(static_cast<std::size_t>(m.size()));
    }
    if (m.cpu_mates.cpus > 0) m.broadcast_roots.begins(root, m.size());
    auto* const bytes_at = static_cast<std::byte*>(buffer);
    if (m.rank() != root) return receive_broadcast(m, {bytes_at, columns, bytes}, root);
    const OutgoingBroadcast out{bytes_at, columns, bytes};
    const BroadcastManner manner = choose_manner(m, out);
    if (manner == BroadcastManner::in_pieces) return send_in_pieces(m, out);
    send_whole(m, out, manner);
}

}  // namespace fmpl
