#include "c/completion.hpp"

namespace fmpl::mpi {

void fail_operation(const Status& status, const std::string& words)
{
    if (!words.empty()) throw Error(status.error, words);
    if (status.error == code_of(ErrorClass::truncate)) {
        fail(ErrorClass::truncate,
            "the message from rank {} with tag {} has {} bytes and the receive takes {}; give it a larger count",
            rank_out(status.source), tag_out(status.tag), status.message_bytes, status.bytes);
    }
    if (status.error == code_of(ErrorClass::type)) {
        fail(ErrorClass::type,
            "the message from rank {} with tag {} has {} bytes, which is no whole number of elements of the receive's "
            "data "
            "type; receive it with the type that it was sent with",
            rank_out(status.source), tag_out(status.tag), status.bytes);
    }
    fail_with_code(
        status.error, "the operation with rank {} and tag {} failed", rank_out(status.source), tag_out(status.tag));
}

}  // namespace fmpl::mpi
