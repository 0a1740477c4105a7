"""A CAS server for tests: its people are in a file, its data in a folder that goes with it."""

import os
import secrets

HOME = os.environ["CAS_HOME"]

SECRET_KEY = secrets.token_hex(32)
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
LOGGING_CONFIG = None

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "cas_server",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.path.join(HOME, "cas.sqlite"),
        "OPTIONS": {"timeout": 20},
    }
}
STATIC_URL = "/static/"
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

CAS_AUTH_CLASS = "people.Person"
# It would ask the internet for news of itself.
CAS_NEW_VERSION_HTML_WARNING = False
CAS_NEW_VERSION_EMAIL_WARNING = False
