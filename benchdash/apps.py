"""Static files: out of plotly's package only its script is collected."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "datasets", "plotly/templates", "widgetbundle.js"]
