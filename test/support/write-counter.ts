// Counts how often this process writes to the sockets of a port, whatever the machine.
import { Socket } from 'node:net'

type Write = Socket['_write']
type WriteMany = NonNullable<Socket['_writev']>

/**
 * Calls `run`, and `done` with the number of writes until `run` calls its callback.
 * @param port that of the server whose sockets count
 */
export function countWrites(
  port: number,
  run: (over: (error?: Error) => void) => void,
  done: (error: Error | undefined, writes: number) => void,
): void {
  let writes = 0
  const { _write, _writev } = Socket.prototype as { _write: Write; _writev: WriteMany }
  const noted = (socket: Socket) => {
    if (socket.remotePort === port) writes += 1
  }
  Socket.prototype._write = function (this: Socket, ...args: Parameters<Write>) {
    noted(this)
    return _write.apply(this, args)
  }
  Socket.prototype._writev = function (this: Socket, ...args: Parameters<WriteMany>) {
    noted(this)
    return _writev.apply(this, args)
  }
  run((error) => {
    Object.assign(Socket.prototype, { _write, _writev })
    done(error, writes)
  })
}
