// A communication under way, as a request handle or a call in progress sees it (MPI-3.1, sections 3.7 to 3.9).
//
// Counted by Ref. Used by its rank alone. The messenger sets `complete`; who finds it set reads `status`.
#pragma once

#include "standard.hpp"

#include <cstdint>
#include <utility>

namespace fmpl::mpi {

class Messenger;

// What a receive found; MPI_Status in the shim's own form (abi/status.hpp).
struct Status {
    int source;
    int tag;
    int error = 0;  // error class
    bool cancelled = false;
    std::uint64_t bytes = 0;
    std::uint64_t message_bytes = 0;  // with MPI_ERR_TRUNCATE: how long the message was

    // Of a null or inactive request, and of a send (MPI-3.1, section 3.7.3).
    static constexpr Status empty() { return {kAnySource, kAnyTag}; }
    // Of MPI_PROC_NULL (section 3.11).
    static constexpr Status of_proc_null() { return {kProcNull, kAnyTag}; }
};

class Request {
public:
    // A plain request is its own operation, and is gone when that is complete; so are nearly all, which nothing virtual
    // is asked of on their way but whom they wait for. A persistent one stays, and is inactive then.
    enum class Life : std::uint8_t { plain, persistent, generalized };

    explicit Request(Life life = Life::plain);
    virtual ~Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    bool is_plain() const { return life_ == Life::plain; }
    bool is_persistent() const { return life_ == Life::persistent; }
    bool is_active() const { return !is_persistent() || started() != nullptr; }
    // What is to be complete; requires is_active().
    Request& operation() { return is_persistent() ? *started() : *this; }
    // MPI_Start; fails for what is not persistent or is active.
    virtual void start(Messenger& messenger);
    // After a wait or test that found it complete, before its status is used; the persistent one becomes inactive.
    // Throws nothing; returns an error class (generalized requests have functions of the user's that may fail).
    int finish() { return is_plain() ? 0 : finish_own(); }
    // MPI_Cancel. Does nothing where the operation cannot be taken back.
    virtual void cancel(Messenger&) {}
    // Why the operation failed, where that is known in words beyond its status; "" otherwise.
    virtual const char* error_words() const { return ""; }
    // The request is being freed with its operation under way. Throws nothing; returns an error class as finish() does.
    virtual int abandon() { return 0; }

    // The world rank that it waits for, -1: several or any.
    virtual int awaited() const { return -1; }
    // Sets `complete`.
    void complete_with(const Status& found)
    {
        status = found;
        complete = true;
    }

    bool complete = false;
    Status status;
    int handle = 0;
    int comm_handle = 0;  // the communicator that the user named, whose error handler hears of it; 0: none

private:
    template <class T>
    friend class Ref;
    // Of a persistent request: the operation that was started; nullptr: it is inactive.
    virtual Request* started() const { return nullptr; }
    // finish() of one that is not plain.
    virtual int finish_own() { return 0; }
    // Destroys it, or gives it back to its pool.
    virtual void dispose() { delete this; }
    std::uint32_t references_ = 0;
    const Life life_;
};

// A counted reference to a request.
template <class T>
class Ref {
public:
    struct Adopt {};
    static constexpr Adopt kAdopt{};

    Ref() = default;
    // Takes over a reference that release() gave.
    Ref(T* request, Adopt) : request_(request) {}
    explicit Ref(T* request) : request_(request)
    {
        if (request_ != nullptr) ++request_->references_;
    }
    Ref(const Ref& other) : Ref(other.request_) {}
    Ref(Ref&& other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
    template <class U>
    Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get()))
    {
    }
    template <class U>
    Ref(Ref<U>&& other) noexcept : request_(other.release())
    {
    }
    Ref& operator=(Ref other) noexcept
    {
        std::swap(request_, other.request_);
        return *this;
    }
    ~Ref()
    {
        if (request_ != nullptr && --request_->references_ == 0) static_cast<Request*>(request_)->dispose();
    }

    // Gives the reference away, to be adopted by another Ref.
    T* release() { return std::exchange(request_, nullptr); }

    T* get() const { return request_; }
    T& operator*() const { return *request_; }
    T* operator->() const { return request_; }
    explicit operator bool() const { return request_ != nullptr; }

private:
    T* request_ = nullptr;
};
using RequestRef = Ref<Request>;

}  // namespace fmpl::mpi
