"""Writes pictures/: small files of each kind of PNG and JPEG, for the fuzzer to start from and for tests.

pip install pillow numpy
python make_pictures.py
"""

import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

FOLDER = Path(__file__).resolve().parent / "pictures"
#: Of an interlaced PNG: where each pass begins, and its steps.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(depth, interlace, lines):
    """Three channels, 12 × 8 pixels: what Pillow does not write."""
    header = struct.pack(">IIBBBBB", 12, 8, depth, 2, 0, 0, interlace)
    packed = zlib.compress(b"".join(b"\0" + line.tobytes() for line in lines))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def write():
    cells = np.random.default_rng(0).integers(0, 255, (2, 3, 3))
    rgb = np.kron(cells, np.ones((4, 4, 1))).astype(np.uint8)
    image = Image.fromarray(rgb)
    texts = PngImagePlugin.PngInfo()
    texts.add_text("a", "b")
    texts.add_itxt("c", "d", zip=True)
    turned = Image.Exif()
    turned[0x0112] = 6
    files = {
        "rgb.png": (image, {}),
        "grey.png": (image.convert("L"), {}),
        "one_bit.png": (image.convert("1"), {}),
        "palette.png": (image.quantize(6), {}),
        "alpha.png": (image.convert("RGBA"), {}),
        "grey_alpha.png": (image.convert("LA"), {}),
        "transparent_palette.png": (image.quantize(6), {"transparency": 1}),
        "grey16.png": (Image.fromarray(rgb[:, :, 0].astype(np.uint16) * 257), {}),
        "texts.png": (image, {"pnginfo": texts, "dpi": (72, 72)}),
        "plain.jpg": (image, {"quality": 95}),
        "grey.jpg": (image.convert("L"), {}),
        "progressive.jpg": (image, {"progressive": True, "quality": 95}),
        "cmyk.jpg": (image.convert("CMYK"), {}),
        "turned.jpg": (image, {"exif": turned, "quality": 95}),
        "restarts.jpg": (image, {"restart_marker_blocks": 1, "quality": 95}),
        "sampled.jpg": (image, {"subsampling": 2, "quality": 30}),
    }
    for name, (one, told) in files.items():
        one.save(FOLDER / name, **told)
    (FOLDER / "rgb16.png").write_bytes(png(16, 0, rgb.astype(">u2") * 257))
    parts = [rgb[y::down, x::right] for x, y, right, down in PASSES]
    (FOLDER / "interlaced.png").write_bytes(png(8, 1, [line for part in parts if part.size for line in part]))


if __name__ == "__main__":
    write()
