"""How did it move while the monitor watched? Arrays of figures in, light figures out.

A light figure is a Plotly figure whose traces hold their points as small whole numbers (see lean); static/js/overtime.js
puts them back. What is drawn is thinned to the width that was asked for, and asked for again when the reader zooms in.
"""

from .bands import Band
from .panels import HEIGHT, SMALL, grid, lines, stack
from .rows import sheet
from .strands import Strand
from .timeline import Timeline, joined, timeline

__all__ = ["HEIGHT", "SMALL", "Band", "Strand", "Timeline", "grid", "joined", "lines", "sheet", "stack", "timeline"]
