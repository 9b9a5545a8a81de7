// The layout of a Frame (frame.h, which checks it), for entry.S.
#define RED_ZONE 128
#define FRAME_CLAIM 0
#define FRAME_ACTION 8
#define FRAME_NEXT 12
#define FRAME_RESULT 16
#define FRAME_CLOBBERED 24
#define FRAME_NUMBER 32
#define FRAME_MADE 40
#define FRAME_ARGUMENTS 88
#define FRAME_NEAR 128
#define FRAME_SIXTH 136
#define FRAME_BACK 144
#define FRAME_SIZE 152

#define ACTION_DONE 0
#define ACTION_MAKE 1
#define ACTION_LOOK 2
#define ACTION_NEAR 3
#define ACTION_NEW_STACK 4
#define ACTION_VFORK 5
#define ACTION_BARE 6

#define AFTER_PATH 2

#define GUEST_VERSION 1
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
