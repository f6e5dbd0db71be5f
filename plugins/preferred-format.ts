import type { FastifyRequest } from 'fastify'
import { firstPreferences } from '../src/core/preferences.ts'

type Format = 'html' | 'json'

/**
 * Returns the format that a request prefers (RFC 9110 §12.5.1).
 * @param order which one it gets if it prefers neither, or accepts neither
 */
export function preferredFormat(request: FastifyRequest, order: readonly [Format, Format]): Format {
  const { headers } = request.raw
  headers.accept = firstPreferences(headers.accept)
  const preferred = request.accepts().type([...order])
  return order.find((format) => format === preferred) ?? order[0]
}
