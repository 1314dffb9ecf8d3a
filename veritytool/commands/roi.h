#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_ROI_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_ROI_H

/// Marks for tools that count instructions: what runs between a call of roi_begin and one of roi_end is the region of
/// interest. They are found by name in the symbol table.
extern "C" {
void roi_begin();
void roi_end();
}

#endif
