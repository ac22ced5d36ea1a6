// What scalapack-pdgemm-limit.* leaves out: the broadcasts of panels in PDGEMM.
#pragma once

namespace fmpl::bench {

// While one exists, the broadcasts of double precision that this process sends and receives return at once.
class NoPanelBroadcasts {
public:
    NoPanelBroadcasts();
    ~NoPanelBroadcasts();
    NoPanelBroadcasts(const NoPanelBroadcasts&) = delete;
    NoPanelBroadcasts& operator=(const NoPanelBroadcasts&) = delete;
};

}  // namespace fmpl::bench
