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
    m.tell_reach(bytes);
    auto* const bytes_at = static_cast<std::byte*>(buffer);
    if (m.rank() != root) return receive_broadcast(m, {bytes_at, columns, bytes}, root);
    const OutgoingBroadcast out{bytes_at, columns, bytes};
    const std::size_t sent = goes_whole(m, out, 0) ? 0 : send_in_pieces(m, out);
    if (sent < bytes) send_whole(m, out, sent);
}

}  // namespace fmpl
