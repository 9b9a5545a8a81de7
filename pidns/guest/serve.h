// What the guest code does with the calls of the program, by way of serving (surface/calls.h). Each function
// looks at a Frame and says what is to be done next; `ask` leaves the call to the monitor. Freestanding.
#pragma once

#include "pidns/guest/frame.h"
#include "pidns/surface/calls.h"

namespace ctr::pidns::guest {

// What a made call's result is looked at for.
enum class After : uint32_t {
    nothing,
    asked,              // the monitor has served it
    path = AFTER_PATH,  // did the path lead into /proc?
    change,             // does a copy lie over the file?
    file,               // is it a file of ours that was described?
    directory,          // the text of a working directory
    wait,               // whom has wait4 reported?
    waitid,
    number,   // a number of the host's, by the row's kind
    memory,   // ... in memory
    siginfo,  // of rt_sigtimedwait
    message,  // of recvmsg
    handler,  // the old one of rt_sigaction
    creation,
    filter,  // is there one now?
};

// A row of the surface without what only people read.
struct Row {
    uint16_t number;
    Way way;
    Kind arguments[3];
    Kind result;
    Memory reads;
    Memory writes;
    PathArguments path;
    PathArguments second_path;
    bool changes;
    pidns::After after;
    bool all_used;
    Condition when;
    Condition and_when;
};

// The row that this call would trap by; nullptr: it passes the filter as it is.
const Row* find_row(uint64_t number, const uint64_t* arguments);

Action ask(Frame& frame, const Row& row);
Action pass(Frame& frame);  // with the mark: the host's numbers are in it, or none
Action look(Frame& frame, After after);

Action answer(Frame& frame, const Row& row);          // identity.cpp
Action rewrite(Frame& frame, const Row& row);         // rewrite.cpp
Action rewrite_memory(Frame& frame, const Row& row);  // structures.cpp
Action wait(Frame& frame, const Row& row);            // wait.cpp
Action create(Frame& frame, const Row& row);          // creation.cpp
Action create_unseen(Frame& frame);                   // ... of what passes the filter: a thread
Action send(Frame& frame, const Row& row);            // rewrite.cpp
Action set_handler(Frame& frame, const Row& row);     // handlers.cpp
Action follow_path(Frame& frame, const Row& row);     // paths.cpp
Action follow_paths(Frame& frame, const Row& row);
Action follow_address(Frame& frame, const Row& row);
Action describe(Frame& frame, const Row& row);  // files.cpp
Action list(Frame& frame, const Row& row);
Action reread(Frame& frame, const Row& row);
Action dequeue(Frame& frame, const Row& row);
Action message(Frame& frame, const Row& row);  // messages.cpp
Action lock_memory(Frame& frame);              // lock.cpp

// True: make the call again, as the frame says now.
bool followed_path(Frame& frame);
bool changed(Frame& frame);
bool described(Frame& frame);
bool named_directory(Frame& frame);
bool waited(Frame& frame);
bool rewritten(Frame& frame);
bool memory_written(Frame& frame);
bool received(Frame& frame);
bool took_signal(Frame& frame);
bool handler_set(Frame& frame);
bool has_created(Frame& frame);

// Calls that change nothing, so that the kernel may make them first (paths.cpp).
bool can_be_made_twice(uint64_t number, const uint64_t* arguments);

// Whether the text of a path may lead to something of /proc that carries numbers (paths.cpp). What is said of
// one that begins with a slash and doesn't name "proc": whether the layer has been asked where a procfs is,
// or can be.
enum class FromRoot { is_known, can_be_asked, no };
bool may_lead_into_proc(uint64_t stack, const char* path, FromRoot from_root);

// Whether a file of that name below /proc may carry numbers, or show different things to different readers.
bool may_name_numbers(const char* name);

// Puts the host's numbers into the registers of a call, and the mark. False: the monitor must (rewrite.cpp).
struct Self;
bool put_hosts_numbers(Frame& frame, const Row& row, const Self& self);

// Whether that address can be read as the kernel would read it, 8 bytes; costs a call, unless it is on a page
// of the stack that is in use, as what the C library passes of its own often is. STACK is an address on that
// page.
bool is_readable(uint64_t stack, uint64_t address);

// The same for SIZE bytes, 8 at least and a page at most.
bool is_readable(uint64_t stack, uint64_t address, uint64_t size);

}  // namespace ctr::pidns::guest
