"""The only room that executes anything: load tools and monitors, on machines that were registered for it."""
