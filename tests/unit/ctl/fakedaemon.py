# SPDX-License-Identifier: MIT
"""A daemon that answers as a test has set, on a socket of its own."""
import json
import os
import socket
import threading


class FakeDaemon:
    """Answers each request with answers[cmd]; the requests are in .requests.

    An answer is an object; a list of them is a stream, which ends with "close" (hang up), or stays
    open; a string is sent as it is.
    """

    def __init__(self, path, answers):
        self.path = path
        self.answers = answers
        self.requests = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.server.close()
        os.unlink(self.path)

    def _accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rw") as lines:
                for line in lines:
                    request = json.loads(line)
                    self.requests.append(request)
                    if self._answer(lines, self.answers.get(request["cmd"])) == "close":
                        return
        except OSError:
            pass  # It went without taking all there was.

    @staticmethod
    def _answer(lines, answer):
        for part in answer if isinstance(answer, list) else [answer]:
            if part == "close":
                return part
            try:
                lines.write(part if isinstance(part, str) else json.dumps(part) + "\n")
                lines.flush()
            except OSError:
                return "close"
        return None
