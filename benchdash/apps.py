"""Static files: out of plotly's package only its script is collected, not its example data and notebook parts."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "datasets", "templates", "widgetbundle.js"]
