#include "pidns/surface/calls.h"

#include "pidns/surface/rows.h"

namespace ctr::pidns {

namespace {

constexpr surface::Index rows_by_call = surface::index_of_rows();

}  // namespace

Calls calls() {
    return {surface::rows, surface::rows + surface::row_count};
}

const Call* find_call(long number, const uint64_t* arguments) {
    if (number < 0 || number >= long{surface::call_count}) return nullptr;
    for (unsigned at = rows_by_call.first[number]; at != 0; at = rows_by_call.next[at]) {
        const Call& row = surface::rows[at - 1];
        if (surface::holds(row.when, arguments) && surface::holds(row.and_when, arguments)) return &row;
    }
    return nullptr;
}

}  // namespace ctr::pidns
