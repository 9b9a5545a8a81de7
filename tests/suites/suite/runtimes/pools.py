"""Pools of processes, managers, shared memory, signals with senders and pidfds."""
import asyncio, concurrent.futures, multiprocessing, os, select, signal, subprocess, sys, time


def number(_):
    return os.getppid(), os.getpid()


def main():
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            print(method, sum(pool.map(abs, range(-50, 0))))
        with context.Manager() as manager:
            shared = manager.list([1, 2, 3])
            print("manager", sum(shared))
    process = multiprocessing.Process(target=time.sleep, args=(60,))
    process.start()
    print("alive", process.is_alive(), [p.pid for p in multiprocessing.active_children()] == [process.pid])
    os.kill(process.pid, signal.SIGTERM)
    process.join()
    print("ended", process.exitcode)

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        os.kill(os.getppid(), signal.SIGUSR1)
        os._exit(3)
    info = signal.sigwaitinfo({signal.SIGUSR1})
    print("sender", info.si_pid == child, info.si_code)
    info = signal.sigwaitinfo({signal.SIGCHLD})
    print("ended", info.si_pid == child, info.si_status)
    waited = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    print("waited", waited.si_pid == child, os.waitpid(child, 0)[0] == child)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())

    sleeper = subprocess.Popen(["sleep", "60"])
    descriptor = os.pidfd_open(sleeper.pid)
    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    print("readable", bool(select.select([descriptor], [], [], 10)[0]), sleeper.wait())

    async def many():
        async def one(code):
            child = await asyncio.create_subprocess_exec("sh", "-c", f"exit {code % 5}")
            return await child.wait() == code % 5
        return sum(await asyncio.gather(*(one(i) for i in range(40))))
    print("asyncio", asyncio.run(many()))
    print("self", os.readlink("/proc/self") == str(os.getpid()), os.path.exists(f"/proc/{os.getpid()}/stat"))
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    print("status", int(fields["Pid"]) == os.getpid(), int(fields["PPid"]) == os.getppid())


if __name__ == "__main__":
    main()
