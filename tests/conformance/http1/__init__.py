"""HTTP/1 servers, judged by the bytes they send. See README.md beside this folder."""
