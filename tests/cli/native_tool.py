"""Where the native command line tool is."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("SIGHTGLASS_BINARY", ROOT / "build" / "release" / "sightglass"))
