"""Settings. Everything a person may set comes from the environment, with the default beside it."""

from __future__ import annotations

import os
from pathlib import Path

from dashboard import environment as env

BASE_DIR = Path(__file__).resolve().parent.parent

# Where the database, the secret key and the collected static files are kept.
GUARD_DATA = Path(os.environ.get("GUARD_DATA", BASE_DIR / "var"))

# Pages of errors show code and settings: never on where others can reach the server.
DEBUG = env.flag("DEBUG")
SECRET_KEY = env.secret_key(GUARD_DATA)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")

# The address people reach the product at; links in notifications start with it and never with a
# request's own Host. With https, cookies are sent over https only.
GUARD_URL = os.environ.get("GUARD_URL", "").rstrip("/")
HTTPS = GUARD_URL.startswith("https://")
CSRF_TRUSTED_ORIGINS = [GUARD_URL] if GUARD_URL else []

# Number of proxies in front whose X-Forwarded-For may be believed. 0: only the connection itself.
TRUSTED_PROXIES = int(os.environ.get("TRUSTED_PROXIES", "0"))

# Empty: SQLite in GUARD_DATA.
DATABASES = {"default": env.database(os.environ.get("DATABASE_URL", ""), GUARD_DATA)}

# Empty: the queue is in memory and the worker a thread of the web process.
REDIS_URL = os.environ.get("REDIS_URL", "")

# A job's lease, in seconds; it is renewed while the work goes on. The sweeper rings for jobs whose
# bell or worker was lost.
LEASE_S = env.number("GUARD_LEASE_S", 120)
SWEEP_EVERY_S = env.number("GUARD_SWEEP_EVERY_S", 30)
MAX_ATTEMPTS = env.number("GUARD_MAX_ATTEMPTS", 3)

# Batches that one token may send in five minutes.
TOKEN_BATCHES = env.number("GUARD_TOKEN_BATCHES", 1000)

# Gates (`semantics.md` 8.9): how long one is open, how long a claim holds, and how old a sign-in
# may be when a commit-phase gate is decided.
GATE_COMMIT_MINUTES = env.number("GUARD_GATE_COMMIT_MINUTES", 60)
GATE_OTHER_MINUTES = env.number("GUARD_GATE_OTHER_MINUTES", 24 * 60)
GATE_CLAIM_MINUTES = env.number("GUARD_GATE_CLAIM_MINUTES", 10)
GATE_SIGN_IN_MINUTES = env.number("GUARD_GATE_SIGN_IN_MINUTES", 30)

# Notices (`dashboard.notifications`): nothing is sent without a target, and none is called on a
# private net but by these names. Mail: smtp://user:password@host:port, smtps:// for TLS at once.
NOTIFY_PRIVATE_HOSTS = env.words("GUARD_NOTIFY_PRIVATE_HOSTS", "")
GATE_WARN_MINUTES = env.number("GUARD_GATE_WARN_MINUTES", 10)
_MAIL = env.mail(os.environ.get("EMAIL_URL", ""))
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_SSL, EMAIL_USE_TLS = _MAIL
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM", "journal-guard@localhost")

# Sign-in: failures an account or an address may have in the window before it has to wait.
LOGIN_WINDOW_MINUTES = env.number("GUARD_LOGIN_WINDOW_MINUTES", 15)
LOGIN_FAILURES_ACCOUNT = env.number("GUARD_LOGIN_FAILURES_ACCOUNT", 5)
LOGIN_FAILURES_ADDRESS = env.number("GUARD_LOGIN_FAILURES_ADDRESS", 30)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "ninja",
    "dashboard.apps.DashboardConfig",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "dashboard.middleware.SecurityHeaders",
    "dashboard.middleware.StaticFiles",
    "dashboard.middleware.PlainAddresses",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dashboard.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"
WSGI_APPLICATION = "dashboard.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = GUARD_DATA / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
# Files of a running product do not change; those of a checkout do.
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEBUG else 3600

TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en"
USE_I18N = False

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "team"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 12 * 60 * 60
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"

# Forms of the pages. The API reads its own bodies and counts them (`limits.py`).
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

# Celery: a message is a bell with a job's id in it; results are rows of the database.
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_connect_timeout": 1, "socket_timeout": 5} if REDIS_URL else {}
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "dashboard.logs.Line"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL", "WARNING").upper()},
    "loggers": {
        "dashboard": {"level": os.environ.get("LOG_LEVEL", "INFO").upper()},
        # A request that was answered with 4xx is the caller's business.
        "django.request": {"level": "ERROR"},
    },
}
