#include <fmpl/envelope_lending.h>
#include <string.h>

// Sends an envelope: without a copy of its body if the receiver looks now, else through the ring.
int send_body(int to, const void *head, const void *body, size_t bytes)
{
    int sent = 0;
    void *room;
    const int code = fmpl_envelope_lend(to, head, body, bytes, 0, &sent);
    if (code != FMPL_SUCCESS || sent) return code;
    if (fmpl_envelope_reserve(to, bytes, &room) == 0) return FMPL_ERR_BUSY; // try again later
    memcpy(room, body, bytes);
    return fmpl_envelope_commit(to, head);
}
