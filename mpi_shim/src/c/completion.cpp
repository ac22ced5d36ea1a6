#include "c/completion.hpp"

namespace fmpl::mpi {

void fail_operation(const Status& status, const std::string& words)
{
    if (!words.empty()) throw Error(status.error, words);
    if (status.error == MPI_ERR_TRUNCATE) {
        fail(MPI_ERR_TRUNCATE,
            "the message from rank {} with tag {} has {} bytes and the receive takes {}; give it a larger count",
            status.source, status.tag, status.message_bytes, status.bytes);
    }
    if (status.error == MPI_ERR_TYPE) {
        fail(MPI_ERR_TYPE,
            "the message from rank {} with tag {} has {} bytes, which is no whole number of elements of the receive's "
            "data "
            "type; receive it with the type that it was sent with",
            status.source, status.tag, status.bytes);
    }
    fail(status.error, "the operation with rank {} and tag {} failed", status.source, status.tag);
}

}  // namespace fmpl::mpi
