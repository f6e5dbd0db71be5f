import type { FastifyRequest } from 'fastify'
import { preferredMediaType } from '../src/core/preferences.ts'

const MEDIA_TYPES = { html: 'text/html', json: 'application/json' } as const
type Format = keyof typeof MEDIA_TYPES

/**
 * Returns the format that a request prefers (RFC 9110 §12.5.1).
 * @param order which one it gets if it prefers neither, or accepts neither
 */
export function preferredFormat({ headers }: FastifyRequest, order: readonly [Format, Format]): Format {
  const offered = order.map((format) => MEDIA_TYPES[format])
  const preferred = preferredMediaType(headers.accept, offered)
  return order.find((format) => MEDIA_TYPES[format] === preferred) ?? order[0]
}
