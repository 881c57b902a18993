"""A screenshot as a PNG of at most 256 colours: about half the size, and a page of text looks the same."""

import base64
import struct
import zlib

import numpy as np
from playwright.sync_api import Page

# The browser that took the picture also reads it.
PIXELS = """async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint8Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  let text = "";
  for (let at = 0; at < pixels.length; at += 32768) text += String.fromCharCode(...pixels.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""


def smaller(png: bytes, blank: Page) -> bytes:
    """The picture `png` with a palette; `blank` is an empty page of a browser."""
    width, height, pixels = blank.evaluate(PIXELS, base64.b64encode(png).decode())
    rgb = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(-1, 4)[:, :3].astype(np.int32)
    colours, index, count = np.unique(rgb @ [65536, 256, 1], return_inverse=True, return_counts=True)
    palette = np.sort(colours[np.argsort(-count)[:256]])
    nearest = np.array([np.square(_rgb(palette) - one).sum(axis=1).argmin() for one in _rgb(colours)], np.uint8)
    rows = nearest[index].reshape(height, width)
    # Each line begins with the number of its filter: none.
    lines = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, content)
        for kind, content in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", _rgb(palette).astype(np.uint8).tobytes()),
            (b"IDAT", zlib.compress(lines, 9)),
            (b"IEND", b""),
        )
    )


def _rgb(colours: np.ndarray) -> np.ndarray:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
