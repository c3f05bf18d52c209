"""Settings: one file, from the environment only. README.md lists what can be set."""

from __future__ import annotations

import gc
from pathlib import Path

import plotly
from redis.backoff import NoBackoff
from redis.retry import Retry

from benchdash import env

# Reading and storing a text makes objects by the hundred thousand that stay: looking through them after each 700 new ones,
# as is usual, took a fourth of the time.
gc.set_threshold(10_000, 10, 10)

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.data_dir(BASE_DIR / "var")
DEBUG = env.flag("DEBUG")
PUBLIC_READ = env.flag("PUBLIC_READ")
PORT = env.whole_number("PORT", default=8000, most=65535)
SECRET_KEY = env.secret_key(DATA_DIR, debug=DEBUG)
ALLOWED_HOSTS = env.allowed_hosts()
HTTPS = env.flag("HTTPS")

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py imports the pages of the admin, which other processes do not need
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "benchdash.staticfiles.StaticFiles",
    "django.contrib.humanize",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "django_celery_beat",
    "django_htmx",
    "runs",
    "runs.remote",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "benchdash.middleware.ContentSecurityPolicy",
    "benchdash.middleware.Refusals",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Below WhiteNoise, whose files are compressed already. Answers hold secrets (a form's token) beside what a stranger
    # may have chosen, so their length could tell of them (BREACH): the token is masked anew in each answer, and this
    # middleware makes the length vary at random.
    "django.middleware.gzip.GZipMiddleware",
    "benchdash.middleware.Sessions",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "benchdash.middleware.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "benchdash.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["benchdash.staticfiles.TemplateLoader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": env.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

# Static files. Plotly's script comes out of its Python package; no request leaves for another site.
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", ("plotly", Path(plotly.__file__).parent / "package_data")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "benchdash.staticfiles.Storage"},
}
# Pages name files by their hashed names only, which browsers keep for ever; the others would be compressed for nobody.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Login, and what browsers may do
AUTHENTICATION_BACKENDS = ["runs.accounts.views.Backend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = ["^readyz$"]  # probes come past the proxy; asgi.py answers /healthz
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# How much comes in, unpacked. What is shown before it is stored is less: a preview goes to and fro as a whole. A pasted
# text is a form field and so counts as "data" to Django, a dropped one as a file, which is taken in piece by piece.
MAX_UPLOAD_BYTES = env.whole_number("MAX_UPLOAD_BYTES", default=2 * 2**30)
QUEUE_UPLOAD_BYTES = env.whole_number("QUEUE_UPLOAD_BYTES", default=2 * 2**20)
PREVIEW_BYTES = min(64 * 2**20, MAX_UPLOAD_BYTES)
DATA_UPLOAD_MAX_MEMORY_SIZE = 48 * 2**20
FILE_UPLOAD_HANDLERS = ["runs.upload_handlers.TextHandler"]
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

# A script that never stops is stopped here; one that stores many small texts as quickly as they come is not.
API_PER_MINUTE = env.whole_number("API_PER_MINUTE", default=60_000)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "runs.accounts.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["runs.accounts.AuthenticatedOrPublicRead"],
    "DEFAULT_RENDERER_CLASSES": ["runs.api.FiniteJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "runs.api.ShallowJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "EXCEPTION_HANDLER": "runs.api.views.handle_exception",
    "DEFAULT_SCHEMA_CLASS": "runs.api.serializers.Schema",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_THROTTLE_CLASSES": [f"rest_framework.throttling.{name}RateThrottle" for name in ("User", "Anon")],
    # DRF keeps the time of each request of the period: of a second they are few.
    "DEFAULT_THROTTLE_RATES": {
        "user": f"{API_PER_MINUTE // 60}/s" if API_PER_MINUTE >= 600 else f"{API_PER_MINUTE}/min",
        "anon": "120/min",
    },
    # With HTTPS there is a proxy, whose last address in X-Forwarded-For is the client's. Without, anybody may write that header.
    "NUM_PROXIES": 1 if HTTPS else 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "benchdash",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["runs.accounts.AuthenticatedOrPublicRead"],
    "ENUM_NAME_OVERRIDES": {"JobState": "runs.remote.models.Job.State", "StepState": "runs.remote.models.Step.State"},
}

# The queue. The file-system broker needs its folder; "in" and "out" are the same, so that what is sent is received.
CELERY_BROKER_URL = env.broker()
# The API's throttles count in the cache: where there is a Redis, all web processes count together.
if CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    CACHES = {
        "default": {
            "BACKEND": "benchdash.caching.RedisCache",
            "LOCATION": CELERY_BROKER_URL,
            "OPTIONS": {
                "serializer": "benchdash.caching.SignedSerializer",
                "socket_connect_timeout": 1,
                "socket_timeout": 1,
                "retry": Retry(NoBackoff(), 1),  # for a connection that a restart has closed
            },
        }
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# Login attempts are counted by all web processes together, with or without Redis.
CACHES["logins"] = (
    CACHES["default"]
    if CELERY_BROKER_URL.startswith(("redis:", "rediss:"))
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "logins"),
        "OPTIONS": {"MAX_ENTRIES": 3000},
    }
)
# Conclusions (see runs.selectors.judging) are large and soon worked out again: each process keeps its latest hundred, so that they
# crowd out neither the throttles' counts nor the queue.
CACHES["conclusions"] = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "LOCATION": "conclusions",
    "OPTIONS": {"MAX_ENTRIES": 100},
}
if CELERY_BROKER_URL.startswith("filesystem:"):
    for folder in ("messages", "control"):
        (DATA_DIR / "queue" / folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "queue" / "messages"),
        "data_folder_out": str(DATA_DIR / "queue" / "messages"),
        "control_folder": str(DATA_DIR / "queue" / "control"),
        "polling_interval": 0.2,  # seconds between two looks into the folder
    }
# An ssh config file for remote runs; without it ssh reads the user's own, as it always does.
SSH_CONFIG = env.existing_file("SSH_CONFIG")
REMOTE_TIMEOUTS = env.remote_timeouts()
# An unreachable server is noticed soon: a job's page says that it waits, and it is sent later.
if CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 3, "socket_timeout": 5}
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_BEAT_SCHEDULE = {
    "tend jobs": {
        "task": "runs.tasks.tend_jobs",
        "schedule": REMOTE_TIMEOUTS.tend_s,
        "options": {"expires": REMOTE_TIMEOUTS.tend_s},
    },
    "tend uploads": {"task": "runs.tasks.tend_uploads", "schedule": 15.0, "options": {"expires": 15.0}},
    "purge bin": {"task": "runs.tasks.purge_bin", "schedule": 3600.0, "options": {"expires": 3600.0}},
    "take in tallies": {"task": "runs.tasks.take_in_tallies", "schedule": 15.0, "options": {"expires": 15.0}},
}
# A nightly plan that was missed, because nothing ran at night, must not start in the morning.
CELERY_BEAT_CRON_STARTING_DEADLINE = 600
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"rarely": {"()": "benchdash.faults.LogRarely"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["rarely"]}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # A refused request is the sender's matter and in the answer; a failed one is ours and in the log.
    "loggers": {"django.request": {"level": "ERROR"}, "django.security": {"level": "CRITICAL"}},
}
