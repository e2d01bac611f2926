"""Writes src/sightglass/data/texts/word_break_table_internal.h from the files of Debian's package unicode-data.

Run it again when Unicode has a new version: python3 tools/make_word_breaks.py [folder of the Unicode files]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/sightglass/data/texts/word_break_table_internal.h"
# In the order of WordBreak in word_breaks.cpp.
CLASSES = [
    "Other", "CR", "LF", "Newline", "Extend", "ZWJ", "Regional_Indicator", "Format", "Katakana", "Hebrew_Letter",
    "ALetter", "Single_Quote", "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet",
    "WSegSpace",
]  # fmt: skip
PICTOGRAPH, LETTER = 32, 64
LAST = 0x10FFFF


def ranges(path: Path) -> list[tuple[int, int, str]]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if match:
            found.append((int(match[1], 16), int(match[2] or match[1], 16), match[3]))
    return found


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
    breaks = folder / "auxiliary/WordBreakProperty.txt"
    version = re.search(r"WordBreakProperty-([\d.]+)\.txt", breaks.read_text(encoding="utf-8"))
    values = [0] * (LAST + 1)
    for first, last, name in ranges(breaks):
        for code in range(first, last + 1):
            values[code] |= CLASSES.index(name)
    for first, last, name in ranges(folder / "emoji/emoji-data.txt"):
        if name == "Extended_Pictographic":
            for code in range(first, last + 1):
                values[code] |= PICTOGRAPH
    # Scripts without spaces have no class of their own there, but their letters are words too.
    for first, last, name in ranges(folder / "extracted/DerivedGeneralCategory.txt"):
        if name[0] in "LN":
            for code in range(first, last + 1):
                values[code] |= LETTER
    starts = [code for code in range(LAST + 1) if code == 0 or values[code] != values[code - 1]]
    entries = [f"0x{code << 8 | values[code]:x}" for code in starts]
    lines, line = [], "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > 120:
            lines.append(line)
            line = "   "
        line += f" {entry},"
    lines.append(line)
    TABLE.write_text(
        "// Made by tools/make_word_breaks.py from Unicode's files (see NOTICE); not to be edited.\n"
        "#pragma once\n\n#include <cstdint>\n\nnamespace sightglass {\n\n"
        f'inline constexpr const char* word_break_version = "{version[1] if version else ""}";\n'
        "// Each entry holds until the next: the first character in the upper bits, in the lower eight its class,\n"
        "// 32 for pictographs, 64 for letters and numbers of any script.\n"
        "// clang-format off\n"
        "inline constexpr std::uint32_t word_break_starts[] = {\n" + "\n".join(lines) + "\n};\n"
        "// clang-format on\n\n}  // namespace sightglass\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
