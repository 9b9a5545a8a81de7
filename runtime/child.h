// The child half of a launch: what happens between clone3 and execve.
//
// EVERYTHING THAT RUNS HERE MUST BE ASYNC-SIGNAL-SAFE: the parent may have been forked from a program with
// threads, any of which may have held the allocator's or another lock. No allocation, no stdio, no C++ object
// that allocates, no exceptions. What the child needs was built before it existed; what goes wrong becomes
// one fixed-size record.
#pragma once

#include "runtime/action.h"
#include "runtime/base/fd.h"
#include "runtime/channel.h"
#include "runtime/own_program.h"
#include "runtime/plan.h"

namespace ctr {

struct ChildArguments {
    const Plan& plan;
    char* const* argv;  // of the plan, NULL-terminated
    char* const* env;
    Fd* sources;  // as many as the plan's HoldSources names, empty: the child's to fill
    int* end;     // an init's to fill (command_end.h); nullptr without one
};

// Executes the plan, then the command. Reports a failure over the channel and ends with it.
[[noreturn]] void run_child(const ChildArguments& arguments, channel::ParentEnd& others,
                            channel::ChildEnd channel);

// The rest is between child.cpp and the files that carry out actions.
namespace child {

// Why an action could not be done. Text lives as long as the plan.
struct [[nodiscard]] Fault {
    bool happened = false;
    const char* call = "";  // empty: no system call failed
    int error = 0;
    const char* text = "";  // on what, or why
    int exit_code = 125;
};

Fault failed(const char* call, const char* text = "");  // with errno
Fault refused(const char* text);

struct State {
    const ChildArguments& arguments;
    channel::ChildEnd& channel;
    OwnProgram own;                 // that runs here, until the command does
    Fd root{};                      // that targets are relative to
    Fd devices{};                   // the host's /dev
    const char* command = nullptr;  // found by FindCommand
    Fd listener{};
    bool announced = false;  // that it executes: the last that is sure to be heard
    size_t step = 0;         // that is being executed
};

// Tells the parent of a fault that doesn't end the launch.
void note(const State& state, const Fault& fault);

// mount_actions.cpp
Fault execute(State& state, const action::PrivateMounts& action);
Fault execute(State& state, const action::HoldSources& action);
Fault execute(State& state, const action::ReadOnlyHost& action);
Fault execute(State& state, const action::Mount& action);
Fault execute(State& state, const action::BindTree& action);
Fault execute(State& state, const action::BindSource& action);
Fault execute(State& state, const action::BindDevice& action);
Fault execute(State& state, const action::MakeLink& action);
Fault execute(State& state, const action::Mask& action);
Fault execute(State& state, const action::ReadOnly& action);
Fault execute(State& state, const action::ShowAsFirst& action);
Fault execute(State& state, const action::PlaceImages& action);

// cgroup_actions.cpp
Fault execute(State& state, const action::ShowOwnCgroups& action);

// root_actions.cpp
Fault execute(State& state, const action::BindRoot& action);
Fault execute(State& state, const action::OverlayRoot& action);
Fault execute(State& state, const action::SealRoot& action);
Fault execute(State& state, const action::PivotRoot& action);

// process_actions.cpp
Fault execute(State& state, const action::WriteOwn& action);
Fault execute(State& state, const action::Unshare& action);
Fault execute(State& state, const action::EnterOwnTime& action);
Fault execute(State& state, const action::SetHostname& action);
Fault execute(State& state, const action::LoopbackUp& action);
Fault execute(State& state, const action::NewSession& action);
Fault execute(State& state, const action::OpenTerminal& action);
Fault execute(State& state, const action::LimitResources& action);
Fault execute(State& state, const action::Control& action);
Fault execute(State& state, const action::DieWithParent& action);
Fault execute(State& state, const action::DropBounding& action);
Fault execute(State& state, const action::SetIds& action);
Fault execute(State& state, const action::SetCapabilities& action);
Fault execute(State& state, const action::Confine& action);

// child.cpp
Fault execute(State& state, const action::ChangeDirectory& action);
Fault execute(State& state, const action::SetUmask& action);
Fault execute(State& state, const action::FindCommand& action);
Fault execute(State& state, const action::ResetSignals& action);
Fault execute(State& state, const action::CloseDescriptors& action);
Fault execute(State& state, const action::InstallFilter& action);
Fault execute(State& state, const action::LeaveInit& action);
Fault execute(State& state, const action::InstallProfile& action);
Fault execute(State& state, const action::Execute& action);
Fault execute(State& state, const action::Try& action);
Fault execute(State& state, const action::Finish& action);

}  // namespace child

}  // namespace ctr
