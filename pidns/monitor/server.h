// Serves the calls of the pid surface: what each of them means in terms of the container's numbers.
//
// Driven by the table of calls (surface/calls.h): a row says by which way its call is served and which
// argument, result or memory holds which kind of number; code here is for a way or a kind, not for a call,
// wherever that can be. server.cpp is the middle; creation.cpp has the fork family and
// namespaces, messages.cpp sockets, signal_files.cpp signalfds, procfs_mount.cpp mounts, covers.cpp what
// changes files that copies lie over, served_memory.cpp memory that others fill, cgroup_writes.cpp the writes
// to cgroups and guests.cpp what code of ours inside workloads asks for.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pidns/monitor/covers.h"
#include "pidns/monitor/listener.h"
#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/proc_files.h"
#include "pidns/monitor/raw_programs.h"
#include "pidns/monitor/signals.h"
#include "pidns/monitor/tracee.h"
#include "pidns/monitor/tracer.h"
#include "pidns/monitor/translate.h"

namespace ctr::pidns {

class CallServer final : public Rewriter {
  public:
    // All outlive the server. Bound to the thread that uses it (ptrace).
    CallServer(const Listener& listener, Numbers& numbers, NestedNamespaces& nested, Alarm& alarm,
               const MonitorOptions& options)
        : listener_(listener),
          numbers_(numbers),
          nested_(nested),
          translator_(numbers, nested),
          sender_(numbers, nested),
          files_(listener, numbers, nested, translator_),
          tracer_(*this, alarm),
          covers_(options.covered),
          raw_programs_(options.make_copy),
          warn_(options.warn) {}

    // What the first process of the container finds: before any of its calls.
    void look_around(HostPid init) { files_.note_mounts_of(init); }

    // Answers the trap, or starts what will end in an answer. Never waits.
    void serve(const Trap& trap);

    // Traps whose thread could not be had at once (seize.h). They wait for their thread's process, nobody for
    // them.
    bool has_postponed() const { return !postponed_.empty() || !parked_.empty(); }
    void serve_postponed();

    // After a collection: forgets what was known of processes and threads that are gone.
    void tidy();

    Tracer& tracer() { return tracer_; }
    const RawPrograms& raw_programs() const { return raw_programs_; }

  private:
    // By way of serving.
    void answer(const Trap& trap, const Call& call, const Caller& caller);
    void answer_guest(const Trap& trap, const Call& call, const Caller& caller);
    void close_process(const Trap& trap, const Caller& caller);
    long attach(const Trap& trap, const Caller& caller) const;
    void reaped(const Trap& trap, const Call& call, const Caller& caller);
    void fall_silent(const Trap& trap, const Caller& caller);
    void rewrite(const Trap& trap, const Call& call, const Caller& caller);
    void create_process(const Trap& trap, const Call& call, const Caller& caller);
    void enter_namespace(const Trap& trap, const Call& call, const Caller& caller);
    void mount(const Trap& trap, const Call& call, const Caller& caller);
    void change_covered(const Trap& trap, const Call& call);
    void observe_handler(const Trap& trap, const Caller& caller);
    void follow(const Trap& trap, const Call& call, const Caller& caller, const ProcFiles::Named& named);
    bool fetch_memory(const Trap& trap, const Call& call);
    static Errand touch(std::vector<uint64_t> pages);
    bool answer_file(const Trap& trap, const Call& call, const Caller& caller);
    bool list(const Trap& trap, const Call& call, const Caller& caller);
    void message(const Trap& trap, const Call& call, const Caller& caller);
    void dequeue(const Trap& trap, const Call& call, const Caller& caller);
    static bool is_signalfd(const Trap& trap);
    static bool may_carry_numbers(const Trap& trap, const Call& call);
    void make_for_user(const Trap& trap, const Call& call, const Caller& caller);
    static Errand each_of_user(std::vector<HostPid> threads, long call, Registers::Arguments arguments);
    void refuse_foreign(const Trap& trap);

    static Rewrite as_made(const Trap& trap, const Call& call, const Caller& caller);  // nothing changed yet
    void begin(const Trap& trap, Rewrite rewrite);
    HostPid process_of(const Trap& trap);
    bool awaits_creator(const Trap& trap);
    void watch(HostPid process, bool watched);
    void refuse(const Trap& trap, const Rewrite& rewrite, int error);
    void warn_once(HostPid process, const std::string& about, const std::string& text);
    long create_namespace(const Caller& caller, uint64_t flags, NamespaceId& made);
    long find_namespace(const Trap& trap, const Caller& caller, NamespaceId& found) const;

    // What goes through memory.
    bool put_numbers(const Trap& trap, Rewrite& rewrite);
    void put_sender(Rewrite& rewrite) const;
    void take_back(Rewrite& rewrite);
    HostPid translate_siginfo(const Rewrite& rewrite);
    void translate_memory(const Rewrite& rewrite);
    void translate_messages(const Rewrite& rewrite, long result) const;
    void translate_signals(const Rewrite& rewrite, long result) const;
    bool drops(HostPid thread, int signal, const siginfo_t& info) const;
    bool translate_arrival(siginfo_t& info, HostPid process) const;
    void update_table(const Rewrite& rewrite);

    // Rewriter.
    void begun(Rewrite& rewrite) override;
    bool created(Rewrite& rewrite, HostPid child) override;
    bool orphaned(HostPid child) override;
    std::optional<long> finished(Rewrite& rewrite, long result) override;
    void abandoned(Rewrite& rewrite) override;
    bool delivers(HostPid thread, int signal) override;
    std::optional<Rewrite> entered(HostPid thread, const Registers& registers) override;
    void left(HostPid thread, long call) override;
    bool calls_matter(HostPid process) override { return files_.writes_members(process); }
    void executed(HostPid process) override { watch(process, false); }

    // Programs that trace others (debugging.cpp).
    Tracee* tracee(HostPid thread);
    void trace(const Trap& trap, const Call& call, const Caller& caller);
    long traced(const Rewrite& rewrite, long result);
    bool awaits_tracer(const Trap& trap);
    void park(const Trap& trap);
    void unpark(HostPid thread);
    void adopt_if_new(HostPid process, NamespaceId space);
    struct Report {
        int status;
        uint64_t address;  // of the status
        bool in_siginfo;   // in waitid's form
    };
    static std::optional<Report> report_of(const Rewrite& rewrite);
    static std::optional<Report> report_at(HostPid thread, uint64_t address, bool in_siginfo);
    HostPid stopped_tracee(const Caller& caller, const std::optional<Report>& report, HostPid reported);
    Errand look_at(Caller tracer, HostPid thread, Report report, long seen, std::optional<long> unseen);
    Errand let_go_on(Caller tracer, HostPid thread, Registers::Arguments arguments);
    Errand let_go(Caller tracer, HostPid thread, Registers::Arguments arguments);
    template <class Info>
    std::vector<Made> enter(HostPid thread, const Info& info);
    std::vector<Made> leave(HostPid thread, long result);
    std::optional<long> run_errand(Rewrite& rewrite, long result);

    static void describe_by_path(Rewrite& rewrite);
    std::optional<long> followed(Rewrite& rewrite, long result);
    std::optional<long> mounted(Rewrite& rewrite, long result);
    std::optional<long> changed(Rewrite& rewrite, long result);
    static bool lay_down_directory(Rewrite& rewrite, uint64_t& address);
    Errand uncover(Caller caller, const Call& call, Registers::Arguments arguments, long result,
                   uint64_t directory);
    Errand await_end(HostPid init, NamespaceId space, long seen);
    std::optional<long> reported(Rewrite& rewrite, HostPid child, bool trusted, long result);

    const Listener& listener_;
    Numbers& numbers_;
    NestedNamespaces& nested_;
    Translator translator_;
    SignalSender sender_;
    ProcFiles files_;
    Tracer tracer_;
    Covers covers_;
    RawPrograms raw_programs_;
    std::function<void(const std::string&)> warn_;
    std::vector<Trap> postponed_;
    std::unordered_map<uint64_t, int> awaiting_;  // by trap: how often its process was waited for
    std::unordered_map<int, Tracee> tracees_;     // by thread
    // By init: reaped, but not reported yet, because its namespace hasn't ended.
    struct ReapedInit {
        HostPid reaper;
        NamespaceId space;
        int number;  // as the reaper sees it: the init's entry may be gone by then
    };
    std::unordered_map<int, ReapedInit> reaped_inits_;
    std::unordered_map<int, HostPid> sent_for_;   // by process: who had us send it a signal last
    std::unordered_map<int, Trap> parked_;        // by thread: until its tracer has it
    std::optional<Rewrite>* prepared_ = nullptr;  // takes what would have been begun
    std::unordered_map<int, NamespaceId>
        spare_;  // by process: a namespace that it made for a call that then failed
    // The workload has mounted what it may serve itself, and so may serve the memory that its calls name
    // (served_memory.cpp); by thread: a call whose memory was fetched.
    bool serves_files_ = false;
    std::unordered_map<int, Trap> fetched_;
    std::unordered_set<std::string> warned_;
    std::unordered_set<int> watched_;  // processes whose signals pass through us (see observe_handler)
};

}  // namespace ctr::pidns
