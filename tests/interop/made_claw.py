"""The parts that made sets of Claw-Eval-Live share."""

BASE = """\
from abc import ABC
from pathlib import Path
from ..models.task import TaskDefinition
from ..models.trace import DimensionScores

ROOT = Path(__file__).resolve().parents[3]

class AbstractGrader(ABC):
    def final(self, messages):
        said = [m.message.text for m in messages if m.message.role == "assistant"]
        return said[-1] if said else ""
"""
HEAD = """\
from liveclaw_500.graders.base import AbstractGrader
from liveclaw_500.models.trace import DimensionScores

class Grader(AbstractGrader):
    def grade(self, messages, dispatches, task, audit_data=None, judge=None,
              media_events=None, env_snapshot=None):
        text = self.final(messages)
        scores = DimensionScores(robustness=1.0)
"""
MAIL_SERVER = """\
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer

mails = json.load(open(os.environ["MAIL_FIXTURES"]))
calls = []

class Mail(BaseHTTPRequestHandler):
    def do_GET(self):
        self.say({"calls": calls, "shift": os.environ["MAIL_DISABLE_DATE_SHIFT"]})
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        calls.append(self.path)
        if self.path == "/mail/list":
            return self.say([mail["mail_id"] for mail in mails])
        found = [mail for mail in mails if mail["mail_id"] == asked.get("mail_id")]
        self.say(found, 200 if found else 404)
    def say(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Mail).serve_forever()
"""
MAIL_TASK = """\
task_id: made
task_name: Read the mail
prompt: {text: Say how many apples the mails offer together.}
environment: {timeout_seconds: 60, fixtures: [fixtures/mail.json]}
services:
- name: mail
  command: python mock_services/SERVER/server.py
  port: 9100
  reset_endpoint: http://localhost:9100/mail/reset
  env: {MAIL_FIXTURES: tasks/NAME/fixtures/mail.json, ERROR_RATE: "0.5"}
tools:
- {name: mail_list, description: List the mails.}
- name: mail_get
  description: Read one.
  input_schema: {type: object, required: [mail_id]}
- {name: mail_send, description: Send one.}
tool_endpoints:
- {tool_name: mail_list, url: "http://localhost:9100/mail/list", method: POST}
- {tool_name: mail_get, url: "http://localhost:9100/mail/get", method: POST}
- {tool_name: mail_send, url: "http://localhost:PORT/mail/send", method: POST}
reference_solution: There are 6.
"""
