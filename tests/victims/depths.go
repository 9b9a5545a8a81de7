// Calls on stacks of every depth, down to what Go's compiler leaves to a function of the system's: as many
// goroutines as there are depths make them, while others take turns with them, collect and grow stacks.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const depths = 400

var self, parent = os.Getpid(), os.Getppid()
var failures, signals int64

func check(ok bool, what string) {
	if !ok && atomic.AddInt64(&failures, 1) <= 5 {
		fmt.Println("wrong:", what)
	}
}

// What lies above and below the calls must stay as it is.
//
//go:noinline
func call(depth int, seed uint64) uint64 {
	guard := [4]uint64{seed, seed + 1, seed + 2, seed + 3}
	if depth > 0 {
		check(call(depth-1, seed*3+1) == seed*3+1, "what a deeper call returned")
	} else {
		number, _, _ := syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
		check(int(number) == self, "getpid made raw")
		number, _, _ = syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
		check(int(number) == parent, "getppid")
		check(syscall.Kill(self, 0) == nil, "kill of itself")
		check(syscall.Kill(32767, 0) == syscall.ESRCH, "kill of nobody")
		group, err := syscall.Getpgid(self)
		check(err == nil && group == syscall.Getpgrp(), "groups")
		var status syscall.Stat_t
		check(syscall.Stat("/proc/1", &status) == nil, "stat of 1")
	}
	for i, word := range guard {
		check(word == seed+uint64(i), "a stack")
	}
	return seed
}

func main() {
	if len(os.Args) > 1 {
		fmt.Print(os.Getppid())
		return
	}
	notified := make(chan os.Signal, 16)
	signal.Notify(notified, syscall.SIGUSR1)
	go func() {
		for range notified {
			atomic.AddInt64(&signals, 1)
		}
	}()
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				syscall.Kill(self, syscall.SIGUSR1)
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		}
	}()
	var all sync.WaitGroup
	for depth := 0; depth < depths; depth++ {
		all.Add(1)
		go func(depth int) {
			defer all.Done()
			for round := 0; round < 20; round++ {
				call(depth, uint64(depth*1000+round))
			}
		}(depth)
	}
	for i := 0; i < 10; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			text, err := exec.Command("/proc/self/exe", "child").Output()
			check(err == nil && string(text) == fmt.Sprint(self), "the parent a child sees")
			names, err := os.ReadDir("/proc")
			seen := false
			for _, name := range names {
				seen = seen || name.Name() == fmt.Sprint(self)
			}
			check(err == nil && seen, "list of /proc")
		}()
	}
	all.Wait()
	close(stop)
	for tries := 0; atomic.LoadInt64(&signals) == 0 && tries < 10000; tries++ {
		time.Sleep(time.Millisecond)
	}
	check(atomic.LoadInt64(&signals) > 0, "signals")
	fmt.Printf("depths: %d failures\n", failures)
}
