import { parseObject } from '../src/core/json.ts'
import { PATHS } from '../src/core/paths.ts'
import type { Tap } from './taps.ts'

/** Returns a tap that has the server publish keys besides its own. @param more reads them, each time */
export const keySetTap = (more: () => readonly object[]): Tap => ({
  async answer(request, reply, payload) {
    if (request.routeOptions.url !== PATHS.jwks) return payload
    const answer = parseObject(String(payload))
    if (!Array.isArray(answer?.keys)) return payload
    // Or who has the keys of before would keep them.
    reply.removeHeader('etag')
    return JSON.stringify({ ...answer, keys: [...answer.keys, ...more()] })
  },
})
