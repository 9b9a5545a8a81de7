/* The built-in profile, as it stands in the file beside this one. */
    .section .rodata
    .globl ctr_seccomp_default, ctr_seccomp_default_end
    .hidden ctr_seccomp_default, ctr_seccomp_default_end
ctr_seccomp_default:
    .incbin "seccomp_default.json"
ctr_seccomp_default_end:
    .section .note.GNU-stack, "", @progbits
