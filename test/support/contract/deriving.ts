// Derived tokens for tests of the contract (RFC 8693).

import type { AuditEntries } from '../../../src/core/audit-entries.ts'
import { newToken } from '../../../src/core/token-string.ts'
import type { Derivation, ProvenToken } from '../../../src/storage/derivation.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { signIn } from './family.ts'

export const ACTOR = 'agent'
export const AUDIENCE = 'https://billing.example'

export const opaque = (token: string): ProvenToken => ({ token, is_jwt: false })
export const jwt = (token: string): ProvenToken => ({ token, is_jwt: true })
export const told = (text: string): AuditEntries => ({ entries: [{ text }], ttl: 60 })

/** A right derivation from a token, with a new one of its family. */
export function deriving(subject: ProvenToken, given: Partial<Derivation> = {}): Derivation {
  return {
    subject,
    token: newToken(subject.token.slice(0, 16)),
    is_jwt: false,
    client_id: ACTOR,
    scope: 'api.read',
    audience: AUDIENCE,
    access_token_ttl: 300,
    fields: { act: JSON.stringify({ sub: ACTOR, client_id: ACTOR }) },
    single_uses: [],
    ...given,
  }
}

/** Derives a token, and returns it as the subject of the next one. */
export async function derive(
  { families }: Storage,
  subject: ProvenToken,
  given: Partial<Derivation> = {},
): Promise<ProvenToken> {
  const derivation = deriving(subject, given)
  const outcome = await families.deriveToken(derivation)
  if (outcome !== 'ok') throw new Error(`the subject token is ${JSON.stringify(outcome)}`)
  return { token: derivation.token, is_jwt: derivation.is_jwt }
}

/** Derives tokens one from the other, and returns all, the first one first. */
export async function chainOf(
  storage: Storage,
  subject: ProvenToken,
  length: number,
): Promise<ProvenToken[]> {
  const chain = [subject]
  for (let left = length; left > 0; left--) chain.push(await derive(storage, chain.at(-1) ?? subject))
  return chain
}

/** Signs in, and returns the access token as the subject of a derivation. */
export async function signInToDerive(storage: Storage) {
  const family = await signIn(storage)
  return { ...family, subject: opaque(family.access_token) }
}
