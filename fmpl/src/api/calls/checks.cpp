#include "api/calls/checks.hpp"

#include "error.hpp"

namespace fmpl {

void fail_buffer(std::size_t bytes)
{
    if (bytes > kMostBytes) {
        fail(FMPL_ERR_ARGUMENT,
            "size = {}, which is {} as a signed number, exceeds the address space; give buf's bytes", bytes,
            static_cast<std::ptrdiff_t>(bytes));
    }
    fail(FMPL_ERR_ARGUMENT, "buf is a null pointer, with size {}", bytes);
}

Columns checked_columns(const void* base, const fmpl_columns* columns)
{
    if (columns == nullptr) fail(FMPL_ERR_ARGUMENT, "columns is a null pointer; give what the message is made of");
    check_columns(*columns);
    const Columns checked(*columns);
    check_buffer(base, checked.bytes());
    return checked;
}

void check_operation(const void* operand, std::size_t count, fmpl_op_t op)
{
    if (op == nullptr || op->function == nullptr || op->element_size == 0) {
        fail(FMPL_ERR_ARGUMENT, "func is not an operation: it needs a function and an element size");
    }
    if (count > kMostBytes / op->element_size) {
        fail(FMPL_ERR_ARGUMENT, "count = {} elements of {} bytes exceed the address space", count, op->element_size);
    }
    check_buffer(operand, count);
}

void check_result(const void* operand, const void* result, std::size_t bytes)
{
    if (result == operand) return;
    check_buffer(result, bytes);
    const auto from = reinterpret_cast<std::uintptr_t>(operand);
    const auto to = reinterpret_cast<std::uintptr_t>(result);
    if (from < to + bytes && to < from + bytes) {
        fail(FMPL_ERR_ARGUMENT, "result overlaps operand; give the same pointer, or memory apart");
    }
}

}  // namespace fmpl
