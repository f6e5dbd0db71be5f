import { Refusal } from '../errors.ts'
import { credentialsFile, keepCredentials, readCredentials } from './credentials.ts'
import { renewed } from './login.ts'

// A token that expires while the command runs is renewed before; milliseconds.
const MARGIN = 30_000

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the access token for a server: REDMINT_TOKEN, or that of the last `redmint login`, renewed if it is over.
 * @throws Refusal if there is none
 */
export async function accessTokenFor(
  environment: Environment,
  server: string,
  now: () => number,
): Promise<string> {
  const given = environment.REDMINT_TOKEN?.trim()
  if (given) return given
  const file = credentialsFile(environment)
  const kept = await readCredentials(file, server)
  if (kept === undefined) throw new Refusal(`You are not signed in at ${server}.\n${signInAdvice(server)}`)
  if (now() < kept.expires_at - MARGIN) return kept.access_token
  const tokens = await renewed(kept, now)
  if (tokens === undefined) throw new Refusal(`Your sign-in at ${server} is over.\n${signInAdvice(server)}`)
  await keepCredentials(file, server, { ...kept, ...tokens })
  return tokens.access_token
}

/** Returns what to do for access to a server. */
export const signInAdvice = (server: string) => `Run redmint login --server ${server}, or set REDMINT_TOKEN.`
