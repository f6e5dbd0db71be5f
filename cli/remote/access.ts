import { ADMIN_PATH, PATHS } from '../../src/core/paths.ts'
import { isLoopbackHost } from '../../src/core/uri.ts'
import { DEMO_ADMIN } from '../../src/demo/demo-clients.ts'
import { send } from '../../src/outbound/operator-fetch.ts'
import { Refusal } from '../errors.ts'
import { credentialsFile, keepCredentials, readCredentials } from './credentials.ts'
import { renewed } from './login.ts'
import { postForm, type Tokens, tokensOf } from './token-request.ts'

// A token that expires while the command runs is renewed before; milliseconds.
const MARGIN = 30_000

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns what gives the access token for a server: REDMINT_TOKEN, or that of the last `redmint login`, renewed if it is
 * over; at a server in demo mode on this machine that of its administrator, whose secret is public.
 * @param now milliseconds since 1970
 */
export function accessAt(environment: Environment, server: string, now: () => number): () => Promise<string> {
  let demo: Tokens | undefined
  /** @throws Refusal if there is none; ServerFailure, or Error with the address, if the server does not answer */
  return async () => {
    const given = environment.REDMINT_TOKEN?.trim()
    if (given) return given
    const file = credentialsFile(environment)
    const kept = await readCredentials(file, server)
    if (kept === undefined) {
      if (demo === undefined || !lasts(demo, now)) demo = await demoTokens(server, now)
      if (demo === undefined)
        throw new Refusal(`You are not signed in at ${server}.\n${signInAdvice(server)}`)
      return demo.access_token
    }
    if (lasts(kept, now)) return kept.access_token
    const tokens = await renewed(kept, now)
    if (tokens === undefined) throw new Refusal(`Your sign-in at ${server} is over.\n${signInAdvice(server)}`)
    await keepCredentials(file, server, { ...kept, ...tokens })
    return tokens.access_token
  }
}

const lasts = ({ expires_at }: Tokens, now: () => number) => now() < expires_at - MARGIN

/** Returns what to do for access to a server. */
export const signInAdvice = (server: string) => `Run redmint login --server ${server}, or set REDMINT_TOKEN.`

async function demoTokens(server: string, now: () => number): Promise<Tokens | undefined> {
  if (!isLoopbackHost(new URL(server).hostname)) return undefined
  // A server that is not in demo mode has no such page, and would report a client that it does not know.
  const page = await send(server + PATHS.demo, {})
  await page.body?.cancel()
  if (!page.ok) return undefined
  const form = { grant_type: 'client_credentials', resource: server + ADMIN_PATH, ...DEMO_ADMIN }
  return tokensOf(await postForm(server + PATHS.token, form), now())
}
