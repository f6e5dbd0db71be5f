import { hostname } from 'node:os'
import type { Writable } from 'node:stream'
import { logEvent, type ReportEvent } from '../src/core/events.ts'
import { jsonLine } from './output.ts'

/** The levels of pino. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity }

/**
 * Returns a function that writes events as the servers log them, for programs that collect the output of a job: with
 * `--json`, and not on a terminal. People read the same in the report of the command.
 * @param least the least severe level that is written
 * @param now milliseconds since 1970
 */
export function eventLog(
  stderr: Writable & { isTTY?: boolean },
  least: keyof typeof LEVELS,
  now: () => number,
  json: boolean,
): ReportEvent {
  if (stderr.isTTY || !json) return () => undefined
  const base = { pid: process.pid, hostname: hostname() }
  const at = (level: number) => (details: object, msg: string) => {
    if (level < LEVELS[least]) return
    stderr.write(`${jsonLine({ level, time: now(), ...base, ...details, msg })}\n`)
  }
  const log = { info: at(LEVELS.info), warn: at(LEVELS.warn), error: at(LEVELS.error) }
  return (event) => logEvent(log, event)
}
