// One function for each verb of the command line. Each prints what it has to say and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace ctr::cmd {

// ARGUMENTS: what follows the verb.
int run_verb(const std::vector<std::string>& arguments);
int ps_verb(const std::vector<std::string>& arguments);
int check_verb(const std::vector<std::string>& arguments);
int image_verb(const std::vector<std::string>& arguments);
int list_verb(const std::vector<std::string>& arguments);
int inspect_verb(const std::vector<std::string>& arguments);
int pid_verb(const std::vector<std::string>& arguments);
int exec_verb(const std::vector<std::string>& arguments);
int logs_verb(const std::vector<std::string>& arguments);
int kill_verb(const std::vector<std::string>& arguments);
int stop_verb(const std::vector<std::string>& arguments);
int wait_verb(const std::vector<std::string>& arguments);
int pause_verb(const std::vector<std::string>& arguments);
int resume_verb(const std::vector<std::string>& arguments);
int stats_verb(const std::vector<std::string>& arguments);
int update_verb(const std::vector<std::string>& arguments);
int rm_verb(const std::vector<std::string>& arguments);
int bench_verb(const std::vector<std::string>& arguments);
int completion_verb(const std::vector<std::string>& arguments);
int help_verb(const std::vector<std::string>& arguments);
int version_verb(const std::vector<std::string>& arguments);

// What the shells' scripts ask (completion.h).
int complete_verb(const std::vector<std::string>& arguments);

// What ctr bench runs around a measured command (bench/measure.h).
int measure_verb(const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
