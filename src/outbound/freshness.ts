import type { Fetched } from './public-get.ts'

/** How long documents are fresh, in seconds, whatever their hosts say. */
export interface FreshnessLimits {
  readonly min_fresh: number
  readonly max_fresh: number
  /** If the host says nothing. */
  readonly default_fresh: number
}

/**
 * Returns for how many seconds a document is fresh, by Cache-Control or Expires (RFC 9111 §4.2) within the bounds.
 * @param now milliseconds since 1970
 */
export function freshnessOf(headers: Fetched['headers'], bounds: FreshnessLimits, now: number): number {
  const { min_fresh, max_fresh, default_fresh } = bounds
  const lifetime = lifetimeOf(headers, now)
  if (lifetime === undefined) return default_fresh
  return Math.min(max_fresh, Math.max(min_fresh, lifetime - ageOf(headers)))
}

function lifetimeOf({ 'cache-control': control, expires, date }: Fetched['headers'], now: number) {
  const directives = (control ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
  if (directives.includes('no-store') || directives.includes('no-cache')) return 0
  // RFC 9111 §5.2.2.10: a cache that serves many users follows s-maxage.
  const age = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age')
  if (age !== undefined || expires === undefined) return age
  const ends = Date.parse(expires)
  // RFC 9111 §5.3: an invalid date, above all 0, has passed.
  if (Number.isNaN(ends)) return 0
  const sent = Date.parse(date ?? '')
  return (ends - (Number.isNaN(sent) ? now : sent)) / 1000
}

function secondsOf(directives: readonly string[], name: string): number | undefined {
  const found = directives.find((directive) => directive.startsWith(`${name}=`))
  const digits = /^"?(\d{1,10})"?$/.exec(found?.slice(name.length + 1) ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function ageOf({ age = '' }: Fetched['headers']): number {
  return /^\d{1,10}$/.test(age) ? Number(age) : 0
}
