// Assertions about responses for the tests of the lifecycle.

import type { Test } from 'tap'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { findLiveToken } from '../../src/tokens/access-token.ts'
import type { Lifecycle, Tokens } from './lifecycle.ts'
import { observed } from './observed.ts'
import { type Answer, bearer } from './service.ts'

/** Asserts that a refresh token was refused, with the same response for every reason. */
export function refused(t: Test, { status, json }: Answer, message: string): void {
  const error_description = 'The refresh token is unknown, expired, revoked or already used.'
  t.strictSame(
    { status, json },
    { status: 400, json: { error: 'invalid_grant', error_description } },
    message,
  )
}

/** Asserts that storage was unavailable, and that the response says so. */
export function unavailable(t: Test, { status, json, headers }: Answer, message: string): void {
  t.match({ status, error: json.error }, { status: 503, error: 'temporarily_unavailable' }, message)
  t.ok(Number(headers['retry-after']) > 0, `${message}: Retry-After`)
}

/** Asserts that introspection reports a token as inactive. */
export function inactive(t: Test, { status, text }: Answer, message: string): void {
  t.strictSame({ status, text }, { status: 200, text: '{"active":false}' }, message)
}

/** The result for an access token at the three places that accept one. */
export async function accepts({ get, introspect }: Lifecycle, access_token: string) {
  const [api, userinfo, introspected] = await Promise.all([
    get('/api/resource', bearer(access_token)),
    get('/userinfo', bearer(access_token)),
    introspect('gateway', access_token),
  ])
  return { api: api.status, userinfo: userinfo.status, active: introspected.json.active }
}

export const ACCEPTED = { api: 200, userinfo: 200, active: true }
export const REFUSED = { api: 401, userinfo: 401, active: false }

/** Which of these refresh tokens are in use. Public clients cannot ask for it by introspection. */
export async function inUse({ fastify }: Lifecycle, tokens: readonly string[]): Promise<string[]> {
  const found = await Promise.all(tokens.map((token) => findLiveToken(fastify.redmint, token)))
  return tokens.filter((_, index) => found[index]?.valid)
}

/** Asserts that a family is revoked: every access token and every refresh token is refused. */
export async function dead(t: Test, service: Lifecycle, family: readonly Tokens[], message: string) {
  for (const { access_token, refresh_token } of family) {
    t.strictSame(await accepts(service, access_token), REFUSED, `${message}: access token`)
    t.strictSame(await inUse(service, [refresh_token]), [], `${message}: refresh token`)
  }
}

/** A storage whose calls fail as `fault` says: before they are executed, or after. */
export function failing(storage: Storage) {
  const control: { storage: Storage; fault?: 'before' | 'after' } = { storage }
  control.storage = observed(storage, async (_call, run) => {
    if (control.fault === 'before') throw new StorageUnavailable('not reached')
    const answer = await run()
    if (control.fault === 'after') throw new StorageUnavailable('the answer was lost')
    return answer
  })
  return control
}
