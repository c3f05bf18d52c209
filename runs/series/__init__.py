"""Pure: samples of monitors, their clocks, and the compact series that they are stored as."""
