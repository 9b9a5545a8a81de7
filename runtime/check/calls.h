// Questions to the kernel that are no step of a launch: action::Try. Each returns nullptr or the name of the
// call that said no, with errno. Async-signal-safe; each may leave what it likes to the end of its process.
#pragma once

namespace ctr::check::calls {

const char* install_filter();
const char* install_listener();
const char* install_patient_listener();  // Linux 5.19: signals don't end a call that is being served
const char* let_a_call_go_on();          // the listener's
const char* add_a_descriptor();          // likewise
const char* trace_a_child();
const char* read_a_childs_memory();
const char* open_a_childs_memory();
const char* use_a_pidfd();
const char* get_a_descriptor();
const char* close_a_range();
const char* resolve_in_root();
const char* clone_by_structure();
const char* change_a_detached_mount();
const char* open_a_terminal();

}  // namespace ctr::check::calls
