// Calls that a stopped thread makes for us, one after the other, written as a coroutine:
//
//     const long result = co_await Made{SYS_ptrace, {PTRACE_POKEUSER, tracee, offset, value}};
//
// The thread makes the call when the coroutine waits for it, and the tracer resumes the coroutine with its
// result (Rewriter::finished). co_return says what the program gets to see of its own call; nothing: the call
// is made once more. A coroutine that is destroyed before its end is one whose thread is gone.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "pidns/monitor/registers.h"

namespace ctr::pidns {

struct Made {
    long number;
    Registers::Arguments arguments;
};

class Errand {
  public:
    struct promise_type {
        Made next{};
        long result = 0;
        std::optional<long> seen;

        Errand get_return_object() { return Errand(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(std::optional<long> value) { seen = value; }
        void unhandled_exception() { std::terminate(); }

        auto await_transform(Made made) {
            struct Awaiter {
                promise_type& promise;
                bool await_ready() const noexcept { return false; }
                void await_suspend(std::coroutine_handle<>) const noexcept {}
                long await_resume() const noexcept { return promise.result; }
            };
            next = made;
            return Awaiter{*this};
        }
    };

    Errand(Errand&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Errand& operator=(Errand&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Errand() {
        if (handle_) handle_.destroy();
    }

    bool done() const { return handle_.done(); }
    const Made& next() const { return handle_.promise().next; }
    std::optional<long> seen() const { return handle_.promise().seen; }
    void resume(long result) const {
        handle_.promise().result = result;
        handle_.resume();
    }

  private:
    using Handle = std::coroutine_handle<promise_type>;
    explicit Errand(Handle handle) : handle_(handle) {}
    Handle handle_;
};

}  // namespace ctr::pidns
