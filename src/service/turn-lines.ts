import { type DestinationStream, destination } from 'pino'

/** A destination of log lines that can be written completely at once. */
interface Lines extends DestinationStream {
  flushSync(): void
}

// POSIX keeps so many bytes of one write to a pipe together; of more, other processes can write between the lines.
const PIPE_BUF = 4096

/**
 * Returns a destination that writes the lines of one turn of the event loop together, because each write costs as much
 * as several lines, and at most 4096 bytes at once. The lines of the last turn are written before the process exits;
 * only SIGKILL loses them.
 */
export function linesOfTurn(destination: DestinationStream): Lines {
  let lines = ''
  let bytes = 0
  const flushSync = () => {
    if (lines === '') return
    const text = lines
    lines = ''
    bytes = 0
    destination.write(text)
  }
  process.once('exit', flushSync)
  return {
    write(line) {
      const added = Buffer.byteLength(line)
      if (bytes + added > PIPE_BUF) flushSync()
      if (lines === '') setImmediate(flushSync)
      lines += line
      bytes += added
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
