import { InvalidArgumentError } from 'commander'

const UNITS = { m: 60, h: 3600, d: 86_400 } as const
const MAX_DAYS = 90

/** Parses how long an old secret is kept, such as 24h, or 0; returns seconds. @throws InvalidArgumentError */
export function readKeep(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value)
  return accepted(seconds, seconds >= 0, ', or 0')
}

/** Parses how long an invitation is valid, such as 24h; returns seconds. @throws InvalidArgumentError */
export function readLifetime(value: string): number {
  const seconds = secondsOf(value)
  return accepted(seconds, seconds > 0)
}

function secondsOf(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(value) ?? []
  return Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)
}

function accepted(seconds: number, isLongEnough: boolean, more = ''): number {
  if (isLongEnough && seconds <= MAX_DAYS * UNITS.d) return seconds
  throw new InvalidArgumentError(`Give minutes, hours or days, at most ${MAX_DAYS}d: 30m, 24h, 7d${more}.`)
}
