// Counts what the code of this process does, whatever the machine: promises, timers, writes to the socket of a port.
import { createHook } from 'node:async_hooks'
import { Socket } from 'node:net'

/** What was created and written. */
export interface Work {
  promises: number
  timers: number
  /** Writes to sockets that are connected to the port. */
  writes: number
}

type Write = Socket['_write']
type WriteMany = NonNullable<Socket['_writev']>

/**
 * Calls `run`, and `done` with all work until `run` calls its callback. Creates no promise and no timer itself.
 * @param port that of the server whose sockets count
 */
export function countWork(
  port: number,
  run: (over: (error?: Error) => void) => void,
  done: (error: Error | undefined, work: Work) => void,
): void {
  const work: Work = { promises: 0, timers: 0, writes: 0 }
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') work.promises += 1
      else if (type === 'Timeout') work.timers += 1
    },
  })
  const { _write, _writev } = Socket.prototype as { _write: Write; _writev: WriteMany }
  const noted = (socket: Socket) => {
    if (socket.remotePort === port) work.writes += 1
  }
  Socket.prototype._write = function (this: Socket, ...args: Parameters<Write>) {
    noted(this)
    return _write.apply(this, args)
  }
  Socket.prototype._writev = function (this: Socket, ...args: Parameters<WriteMany>) {
    noted(this)
    return _writev.apply(this, args)
  }
  hook.enable()
  run((error) => {
    hook.disable()
    Object.assign(Socket.prototype, { _write, _writev })
    done(error, work)
  })
}
