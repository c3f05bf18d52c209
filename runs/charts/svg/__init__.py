"""Pictures drawn without a browser: SVG to embed elsewhere by its address, or to put into an HTML file.

paper     the canvas: scheme, title and description, text, ticks       bars     requests per second
spectrum  percentiles

Nothing in a picture is loaded from anywhere, and none has a script. Fonts are the reader's own.
"""

from .bars import bars
from .spectrum import spectrum

__all__ = ["bars", "spectrum"]
