"""The explorer in a browser: a server on loopback that answers over a WebSocket.

`serve` binds a port and prints the address with its token, `app` has the page and the routes,
`guard` decides who may ask, `talk` carries messages between a WebSocket and a `Session`, and
`outbox` and `rate` bound what may wait in either direction.
"""
