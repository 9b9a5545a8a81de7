// How the parts of a model lie in its mapping: arrays one behind the other, each beginning on a cache line.
#pragma once

#include <cstddef>

namespace ctr::pidns {

constexpr std::size_t cache_line = 64;

template <class T>
constexpr std::size_t room_for(std::size_t count) {
    static_assert(alignof(T) <= cache_line);
    return (sizeof(T) * count + cache_line - 1) / cache_line * cache_line;
}

// The array that begins at `at`, which moves behind it.
template <class T>
T* take_array(std::byte*& at, std::size_t count) {
    T* array = static_cast<T*>(static_cast<void*>(at));
    at += room_for<T>(count);
    return array;
}

}  // namespace ctr::pidns
