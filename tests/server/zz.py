import time, tempfile, socket
from pathlib import Path
from tests.server.processes import *
from tests.server.players import PLAYERS

if __name__ == "__main__":
    d = Path(tempfile.mkdtemp())
    s = Forked(d / "a.db")
    s.ready()
    c = Caller(s)
    p = PLAYERS["spam"]
    c("PUT", "/v1/learners/spam", p.definition)

    def half(extra=b""):
        k = socket.create_connection(("127.0.0.1", s.port))
        k.sendall(
            b"POST /v1/learners/spam/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
            + extra
        )
        return k

    k = half()
    time.sleep(0.2)
    t = time.time()
    s.terminate()
    print("code", s.wait(), "took", time.time() - t)
    print(s.output()[-600:])
    # was the close graceful: snapshot there?
    import sqlite3

    print(sqlite3.connect(d / "a.db").execute("select count(*) from snapshots").fetchall())
