// The layout of a Frame (frame.h, which checks it), for entry.S, and other constants of it.
#define RED_ZONE 128
#define FRAME_ON_STACK 0
#define FRAME_CLAIM 16
#define FRAME_ACTION 24
#define FRAME_NEXT 28
#define FRAME_RESULT 32
#define FRAME_CLOBBERED 40
#define FRAME_FLAG 48
#define FRAME_NUMBER 56
#define FRAME_MADE 64
#define FRAME_ARGUMENTS 112
#define FRAME_NEAR 152
#define FRAME_FUNCTION 152
#define FRAME_SIXTH 160
#define FRAME_BACK 168
#define FRAME_SIZE 176

#define ACTION_DONE 0
#define ACTION_MAKE 1
#define ACTION_LOOK 2
#define ACTION_NEAR 3
#define ACTION_NEW_STACK 4
#define ACTION_VFORK 5
#define ACTION_BARE 6

#define AFTER_PATH 2

#define WAY_PASS 1
#define WAY_SERVE 2
#define SYSCALL_SIZE 2

#define GUEST_VERSION 2
#define MARK 0x6d616769
#define EINTR_ 4
#define NR_VFORK 58
#define NR_OPENAT 257
#define NR_NEWFSTATAT 262
#define OPEN_CHANGES 01103
#define PAGE 4096
#define SIGNAL 128
#define MOST_SIGNALS 2048
#define SLASH_PRO 0x6f72702f
