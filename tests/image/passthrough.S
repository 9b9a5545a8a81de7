/* Guest code that translates nothing: each entry makes the call as it is. With it an instrumented image must behave like
   the original in everything, which shows that the instrumenter keeps programs intact. See pidns/guest/header.h. */

#define SYS_clone 56
#define SYS_vfork 58
#define SYS_clone3 435
#define CLONE_VM 0x100
#define RED_ZONE 128
#define CLONE3_STACK 40
#define CLONE3_STACK_SIZE 48

        .text
header: .ascii "ctrguest"
        .long 2
        .long end - header
        .long generic - header
        .long create - header
        .long created - header
        .long prepare - header
        .long cancellable - header
        .long unwind_begin - header
        .long unwind_end - header
        .long RED_ZONE + 8      /* CFA = rsp + this */
        .long RED_ZONE + 8      /* return address at CFA - this */
        .long 0

generic:
        cmp $SYS_vfork, %eax
        je same_stack
        lea -RED_ZONE(%rsp), %rsp
        push %rcx
unwind_begin:
        syscall
        pop %rcx
unwind_end:
        lea RED_ZONE(%rsp), %rsp
        jmp *%rcx

/* Parent and child share the words of the stack: the way back is kept in a register that no caller of vfork needs behind
   it. */
same_stack:
        mov %rcx, %r9
        syscall
        jmp *%r9

create:
        cmp $SYS_clone3, %eax
        je 1f
        cmp $SYS_clone, %eax
        jne copied_stack
        test %rsi, %rsi
        jnz clone_stack
        test $CLONE_VM, %edi
        jnz same_stack
        jmp copied_stack
1:      cmpq $0, CLONE3_STACK(%rdi)
        jne clone3_stack
        testq $CLONE_VM, (%rdi)
        jnz same_stack
        jmp copied_stack

/* The child finds its way back below the top of its stack. */
clone_stack:
        mov %rsi, %r11
        jmp new_stack
clone3_stack:
        mov CLONE3_STACK(%rdi), %r11
        add CLONE3_STACK_SIZE(%rdi), %r11
new_stack:
        mov %rcx, -8(%r11)
        lea -RED_ZONE(%rsp), %rsp
        push %rcx
        syscall
        test %eax, %eax
        jz 1f
        pop %rcx
        lea RED_ZONE(%rsp), %rsp
        jmp *%rcx
1:      mov -8(%rsp), %rcx
        jmp *%rcx

copied_stack:
        lea -RED_ZONE(%rsp), %rsp
        push %rcx
        push %r9
        push $0
        jmp *%r11
created:
        pop %rcx
        pop %r9
        pop %rcx
        lea RED_ZONE(%rsp), %rsp
        jmp *%rcx

prepare:
        jmp *%rcx
cancellable:
        jmp *%r11
end:
        .section .note.GNU-stack, "", @progbits
