"""The lab: bottlenecks planted for real, recorded with bd, and judged by analysis.cause."""
