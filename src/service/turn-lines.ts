import { type DestinationStream, destination } from 'pino'

/** A destination of log lines that can be written completely at once. */
interface Lines extends DestinationStream {
  flushSync(): void
}

// In bytes. A longer write to a pipe is not atomic (POSIX): other processes can write between its lines.
const PIPE_BUF = 4096

/**
 * Returns a destination that writes the lines of one turn of the event loop together, because each write costs as much
 * as several lines, and at most 4096 bytes at once. The lines of the last turn are written before the process exits;
 * only SIGKILL loses them.
 */
export function linesOfTurn(destination: DestinationStream): Lines {
  let lines: string[] = []
  let length = 0
  const flushSync = () => {
    if (length === 0) return
    const written = lines
    lines = []
    length = 0
    const text = written.join('')
    // Characters beyond ASCII take more bytes than one: seldom, and to count bytes line by line costs more.
    if (Buffer.byteLength(text) <= PIPE_BUF) destination.write(text)
    else for (const line of written) destination.write(line)
  }
  process.once('exit', flushSync)
  return {
    write(line) {
      if (length + line.length > PIPE_BUF) flushSync()
      if (length === 0) setImmediate(flushSync)
      lines.push(line)
      length += line.length
    },
    flushSync,
  }
}

let standardOutput: Lines | undefined

/** Returns the destination of log lines on standard output, which all instances of the process share. */
export function linesOfStandardOutput(): Lines {
  standardOutput ??= linesOfTurn(destination({ sync: true }))
  return standardOutput
}
