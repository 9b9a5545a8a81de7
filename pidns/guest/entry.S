// Where the thunks of an instrumented image enter the guest code, and the only places where it makes calls of the program.
// Everything else is C++ behind `before` and `after`. The stack is the program's: no state is kept elsewhere.
//
// A call in progress is a Frame (frame.h) on the stack, below the red zone. The program's call-saved registers are
// untouched whenever a thread may sleep, so one rule unwinds it (GuestHeader::unwind_*).
#include "pidns/guest/frame_offsets.h"

    .section .text.header, "ax", @progbits
    .globl guest_header
guest_header:
    .ascii "ctrguest"
    .long GUEST_VERSION
    .long guest_end - . + 12
    .long generic - guest_header
    .long create - guest_header
    .long created - guest_header
    .long prepare - guest_header
    .long cancellable - guest_header
    .long sleeping - guest_header
    .long awake - guest_header
    .long FRAME_SIZE + RED_ZONE
    .long FRAME_SIZE + RED_ZONE - FRAME_BACK
restorer:
    .globl restorer
    .hidden restorer
    .long 0

// What the C library makes of most open() and stat(), which the kernel may make first (paths.cpp): the result is looked at, by
// the text of the path, and as good as always nothing else is to be done. But a text beside the frame, which can be read
// without asking anybody, says beforehand if it leads to /proc.
open:
    testl $OPEN_CHANGES, %edx
    jnz other
stat:
    leaq -(RED_ZONE+8)(%rsp), %r11
    xorq %rsi, %r11
    shrq $12, %r11
    jnz 1f
    movl %esi, %r11d
    andl $PAGE-1, %r11d
    cmpl $PAGE-4, %r11d
    ja other
    cmpl $SLASH_PRO, (%rsi)
    je other
1:  leaq -(FRAME_SIZE+RED_ZONE)(%rsp), %rsp
    movq %rcx, FRAME_BACK(%rsp)
    movq %r9, FRAME_SIXTH(%rsp)
    movq %r8, FRAME_ARGUMENTS+32(%rsp)
    movq %r10, FRAME_ARGUMENTS+24(%rsp)
    movq %rdx, FRAME_ARGUMENTS+16(%rsp)
    movq %rsi, FRAME_ARGUMENTS+8(%rsp)
    movq %rdi, FRAME_ARGUMENTS(%rsp)
    movl %eax, %eax
    movq %rax, FRAME_NUMBER(%rsp)
    movq $0, FRAME_FLAG(%rsp)
    movl $AFTER_PATH, FRAME_NEXT(%rsp)
    movl $MARK, %r9d
    jmp make_path

// Of a size that isn't taken for that of signals (serve.cpp): as it is.
read:
    testb $SIGNAL-1, %dl
    jnz 1f
    cmpq $MOST_SIGNALS, %rdx
    jbe other
1:  leaq -(FRAME_SIZE+RED_ZONE)(%rsp), %rsp
    movq %rcx, FRAME_BACK(%rsp)

// Up to `awake` the stack pointer leads to the frame, as unwinders are told.
sleeping:
    syscall
    jmp has_read
make_path:
    syscall
    movq %rax, FRAME_RESULT(%rsp)
    movq %rsp, %rdi
    call guest_stayed_outside
    testb %al, %al
    jz look
    jmp done
call_function:
    movq FRAME_NUMBER(%rsp), %rsi
    movq FRAME_MADE(%rsp), %rdx
    movq FRAME_MADE+8(%rsp), %rcx
    movq FRAME_MADE+16(%rsp), %r8
    movq FRAME_MADE+24(%rsp), %r9
    movq FRAME_MADE+32(%rsp), %rax
    movq %rax, FRAME_ON_STACK(%rsp)
    movq FRAME_MADE+40(%rsp), %rax
    movq %rax, FRAME_ON_STACK+8(%rsp)
    call *FRAME_FUNCTION(%rsp)
    movq %rax, FRAME_RESULT(%rsp)
    jmp awake
make:
    movq FRAME_FLAG(%rsp), %rdi
    testq %rdi, %rdi
    jnz call_function
    movq FRAME_NUMBER(%rsp), %rax
    movq FRAME_MADE(%rsp), %rdi
    movq FRAME_MADE+8(%rsp), %rsi
    movq FRAME_MADE+16(%rsp), %rdx
    movq FRAME_MADE+24(%rsp), %r10
    movq FRAME_MADE+32(%rsp), %r8
    movq FRAME_MADE+40(%rsp), %r9
    cmpl $ACTION_NEW_STACK, FRAME_ACTION(%rsp)
    je new_stack
    syscall
    movq %rax, FRAME_RESULT(%rsp)
awake:
    movq %r11, FRAME_CLOBBERED(%rsp)
    cmpl $ACTION_MAKE, FRAME_ACTION(%rsp)
    je done
look:
    movq %rsp, %rdi
    call guest_after
    testb %al, %al
    jnz make

done:
    movq FRAME_RESULT(%rsp), %rax
    leaq FRAME_ARGUMENTS(%rsp), %rsp
    popq %rdi
    popq %rsi
    popq %rdx
    popq %r10
    popq %r8
    popq %rcx
    popq %r9
    popq %rcx
    leaq RED_ZONE(%rsp), %rsp
    jmp *%rcx

// Every call: the number in eax, the address to go on at in rcx. Of the fork family r11 is the address of its near code; else
// there is none.
generic:
    cmpl $NR_NEWFSTATAT, %eax
    je stat
    cmpl $NR_OPENAT, %eax
    je open
    testl %eax, %eax
    jz read
other:
    xorl %r11d, %r11d
create:
    leaq -RED_ZONE(%rsp), %rsp
    pushq %rcx
    pushq %r9
    pushq %r11
    pushq %r8
    pushq %r10
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r9
    pushq %r8
    pushq %r10
    pushq %rdx
    pushq %rsi
    pushq %rdi
    movl %eax, %eax
    pushq %rax
    pushq $0
    subq $FRAME_FLAG, %rsp
before:
    movq %rsp, %rdi
    call guest_before
    movl %eax, FRAME_ACTION(%rsp)
    testl %eax, %eax
    jz done
    cmpl $ACTION_NEAR, %eax
    je near
    cmpl $ACTION_VFORK, %eax
    je vfork
    cmpl $ACTION_BARE, %eax
    je bare
    jmp make

has_read:
    movq FRAME_BACK(%rsp), %rcx
    leaq FRAME_SIZE+RED_ZONE(%rsp), %rsp
    jmp *%rcx

// In place of a function that makes calls in which a thread can be cancelled: a signal handler compares addresses with those
// in it, so it makes the call still, whatever becomes of number and arguments. Callers find the stack as behind it.
cancellable:
    popq %rax
    leaq -(FRAME_SIZE+RED_ZONE)(%rsp), %rsp
    movq %rax, FRAME_BACK(%rsp)
    movq %rdi, FRAME_FLAG(%rsp)
    movq %r11, FRAME_FUNCTION(%rsp)
    movl %esi, %esi
    movq %rsi, FRAME_NUMBER(%rsp)
    movq %rdx, FRAME_ARGUMENTS(%rsp)
    movq %rcx, FRAME_ARGUMENTS+8(%rsp)
    movq %r8, FRAME_ARGUMENTS+16(%rsp)
    movq %r9, FRAME_ARGUMENTS+24(%rsp)
    movq %rdx, FRAME_MADE(%rsp)
    movq %rcx, FRAME_MADE+8(%rsp)
    movq %r8, FRAME_MADE+16(%rsp)
    movq %r9, FRAME_MADE+24(%rsp)
    movq FRAME_SIZE+RED_ZONE(%rsp), %rax
    movq %rax, FRAME_ARGUMENTS+32(%rsp)
    movq %rax, FRAME_MADE+32(%rsp)
    movq FRAME_SIZE+RED_ZONE+8(%rsp), %rax
    movq %rax, FRAME_SIXTH(%rsp)
    movq %rax, FRAME_MADE+40(%rsp)
    jmp before

// The child begins on a stack of its own, on which `before` has laid what it needs (the program gave that memory away).
// Its creator's frame stays where it is: the child never sees this stack.
new_stack:
    syscall
    testq %rax, %rax
    jz 1f
    movq %rax, FRAME_RESULT(%rsp)
    movq %r11, FRAME_CLOBBERED(%rsp)
    jmp look
1:  movq -8(%rsp), %r9
    movq -16(%rsp), %rcx
    jmp *%rcx

// A fork whose child is to touch no more than it would without us: the call is made beside its site.
near:
    movq FRAME_NEAR(%rsp), %r11
    movq FRAME_CLAIM(%rsp), %rcx
    movq %rcx, FRAME_NEAR(%rsp)
    movl FRAME_NUMBER(%rsp), %eax
    leaq FRAME_ARGUMENTS(%rsp), %rsp
    popq %rdi
    popq %rsi
    popq %rdx
    popq %r10
    popq %r8
    movl $MARK, %r9d
    jmp *%r11

// From near code, in the creator: claim, r9 and the address to go on at are on the stack, then the red zone.
created:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %r10
    pushq %r8
    movq 40(%rsp), %rdi
    movq %rax, %rsi
    call guest_created
    popq %r8
    popq %r10
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rcx
    popq %r9
    popq %rcx
    leaq RED_ZONE(%rsp), %rsp
    jmp *%rcx

// The child runs on this stack first, and leaves nothing of it as it was. What must last is in registers, which the kernel
// keeps and which a function may change (r8, r9, r10): the claim, the mark, the address to go on at. (The
// mark must not stay in a register: a call of code that isn't instrumented would carry it.)
vfork:
    movq FRAME_CLAIM(%rsp), %r8
    movq FRAME_MADE+40(%rsp), %r9
    movq FRAME_BACK(%rsp), %r10
    movq FRAME_ARGUMENTS(%rsp), %rdi
    movq FRAME_ARGUMENTS+8(%rsp), %rsi
    movq FRAME_ARGUMENTS+16(%rsp), %rdx
    movl FRAME_NUMBER(%rsp), %eax
    leaq FRAME_SIZE+RED_ZONE(%rsp), %rsp
1:  syscall
    testq %rax, %rax
    jz 2f
    cmpq $-EINTR_, %rax
    jne 3f
    movl $NR_VFORK, %eax
    jmp 1b
2:  xorl %r9d, %r9d
    jmp *%r10
3:  leaq -RED_ZONE(%rsp), %rsp
    pushq %r10
    pushq %rdi
    pushq %rsi
    pushq %rdx
    movq %r8, %rdi
    movq %rax, %rsi
    call guest_created
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rcx
    xorl %r9d, %r9d
    leaq RED_ZONE(%rsp), %rsp
    jmp *%rcx

// A clone that leaves its child on this stack, and takes all registers for itself but r9: made as if we weren't here, but
// that r9, which a function may change, says where to go on.
bare:
    movq FRAME_BACK(%rsp), %r9
    movq FRAME_ARGUMENTS(%rsp), %rdi
    movq FRAME_ARGUMENTS+8(%rsp), %rsi
    movq FRAME_ARGUMENTS+16(%rsp), %rdx
    movq FRAME_ARGUMENTS+24(%rsp), %r10
    movq FRAME_ARGUMENTS+32(%rsp), %r8
    movl FRAME_NUMBER(%rsp), %eax
    leaq FRAME_SIZE+RED_ZONE(%rsp), %rsp
    syscall
    jmp *%r9

// On a stack that may be small, where no red zone is. A call that may have the mark is made at once, and what there is room for is
// served; both go on behind the image's own call, at rcx, which makes all others.
prepare:
    pushq %rcx
    pushq %r9
    pushq %r8
    pushq %r10
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %rax
    movl %eax, %edi
    leaq 8(%rsp), %rsi
    call guest_way
    movl %eax, %r11d
    popq %rax
    popq %rdi
    popq %rsi
    popq %rdx
    popq %r10
    popq %r8
    popq %r9
    popq %rcx
    cmpl $WAY_SERVE, %r11d
    je 1f
    cmpl $WAY_PASS, %r11d
    je 2f
    jmp *%rcx
1:  addq $SYSCALL_SIZE, %rcx
    jmp other
2:  pushq %rcx
    pushq %r9
    movl $MARK, %r9d
    syscall
    popq %r9
    popq %rcx
    addq $SYSCALL_SIZE, %rcx
    jmp *%rcx

// A handler with SA_SIGINFO, as the kernel calls it. The return address is the handler of the program.
    .globl on_signal
    .hidden on_signal
on_signal:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    movl %edi, %ecx
    leaq 24(%rsp), %rdi
    call guest_signal
    popq %rdx
    popq %rsi
    popq %rdi
    jmp *%rax
    .globl do_nothing
    .hidden do_nothing
do_nothing:
    ret

    .section .note.GNU-stack, "", @progbits
