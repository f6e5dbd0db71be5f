import { type DestinationStream, destination } from 'pino'

/** A destination of log lines that can be written completely at once. */
interface Lines extends DestinationStream {
  flushSync(): void
}

/**
 * Returns a destination that writes the lines of one turn of the event loop together, because each write costs as much
 * as several lines. The lines of the last turn are written before the process exits; only SIGKILL loses them.
 */
export function linesOfTurn(destination: DestinationStream): Lines {
  let lines = ''
  const flushSync = () => {
    if (lines === '') return
    const text = lines
    lines = ''
    destination.write(text)
  }
  process.once('exit', flushSync)
  return {
    write(line) {
      if (lines === '') setImmediate(flushSync)
      lines += line
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
