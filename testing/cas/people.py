"""Who can log in: a JSON file of names, passwords and attributes, read anew at every login."""

import json
import os

from cas_server.auth import AuthUser
from django.conf import settings


class Person(AuthUser):
    def __init__(self, username):
        super().__init__(username)
        with open(os.path.join(settings.HOME, "people.json"), encoding="utf-8") as file:
            self.entry = json.load(file).get(username)

    def test_password(self, password):
        return self.entry is not None and self.entry["password"] == password

    def attributs(self):
        return self.entry["attributes"] if self.entry else {}
