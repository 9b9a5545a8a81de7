// How far a measurement is, on a terminal: "[####----] 12/36  flat  0:41 left". Nothing elsewhere.
#pragma once

#include <string>

#include "cmd/bench/schedule.h"

namespace ctr::bench {

std::string progress_text(const std::string& title, const Position& position);  // pure

class ProgressLine {
  public:
    ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();  // the line is gone

    void show(const std::string& text);

  private:
    bool terminal_ = false;
    bool shown_ = false;
};

}  // namespace ctr::bench
