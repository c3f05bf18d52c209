"""Static files: out of plotly's and htmx's packages only the script that pages load is collected."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    # plotly brings example data and notebook parts, django-htmx other editions of htmx.
    of_plotly = ("datasets", "templates", "widgetbundle.js")
    of_htmx = ("htmx-4*", "htmax-4*", "htmx-2.js", "django-htmx.js", "ext")
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, *of_plotly, *of_htmx]
