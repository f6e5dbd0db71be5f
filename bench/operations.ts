// The operations: what one user of the load does, with the check of each answer.
import { jsonOf, type TokenCheck, WrongAnswer } from './answers.ts'
import { benchAssertion } from './assertion.ts'
import { Browser } from './browser.ts'
import { type Answer, type Connection, requestText } from './connection.ts'
import type { OperationName, Settings } from './row.ts'
import type { Subject } from './subject.ts'

/** A server under load. */
export interface Target {
  origin: URL
  discovery: URL
  endpoints: Record<'token' | 'authorization' | 'introspection' | 'revocation', URL>
  subject: Subject
  /** Whether a refresh yields an id_token; the floor has none. */
  signs_at_refresh: boolean
}

/** One user with a connection of its own. */
export interface User {
  number: number
  connection: Connection
  target: Target
  settings: Settings
  tokens: TokenCheck
  /** The browser in which this user is signed in; kept between bursts. */
  browser: Browser
}

/** Prepares a user for a burst and returns what it then repeats. */
type Operation = (user: User) => Promise<() => Promise<void>>

const SCOPE = 'openid api.read'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
// RFC 7636 Appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** The text of a request with the client's credentials. */
function asClient({ target, settings }: User, url: URL, parameters: Record<string, string>): string {
  const { client_id, client_secret } = target.subject
  if (settings.auth === 'post') {
    return requestText(url, { form: new URLSearchParams({ ...parameters, client_id, client_secret }) })
  }
  const pair = [client_id, client_secret].map(encodeURIComponent).join(':')
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return requestText(url, { headers: { authorization }, form: new URLSearchParams(parameters) })
}

function tokenRequest(user: User, more: Record<string, string> = {}): string {
  const form = { grant_type: 'client_credentials', scope: 'api.read', ...more }
  return asClient(user, user.target.endpoints.token, form)
}

function introspectionRequest(user: User, token: string): string {
  return asClient(user, user.target.endpoints.introspection, { token })
}

function expectStatus(answer: Answer, status: number): void {
  if (answer.status !== status) throw new WrongAnswer(`expected status ${status}`, answer)
}

async function expectActive(user: User, token: string, active: boolean): Promise<void> {
  const answer = await user.connection.send(introspectionRequest(user, token))
  if (jsonOf(answer).active !== active) throw new WrongAnswer(`expected "active":${active}`, answer)
}

/** A code flow in a browser. @returns the members of the token response */
async function codeFlow(user: User, browser: Browser): Promise<Record<string, unknown>> {
  const { connection, target, tokens } = user
  const { client_id, redirect_uri } = target.subject
  const url = new URL(target.endpoints.authorization)
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: SCOPE,
    state: 'a-state-of-the-client',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  }
  url.search = new URLSearchParams(query).toString()
  const told = await browser.authorize(url)
  const code = told.get('code')
  if (code === null) throw new Error(`the authorization endpoint answered ${told}`)
  const answer = await connection.send(
    asClient(user, target.endpoints.token, {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: VERIFIER,
    }),
  )
  const members = jsonOf(answer)
  tokens.access(answer, members)
  tokens.refresh(answer, members)
  tokens.id(answer, members)
  return members
}

const token: Operation = async (user) => {
  const request = tokenRequest(user)
  const { connection, tokens } = user
  return async () => {
    tokens.access(await connection.send(request))
  }
}

/** A token for the API of the server itself, which is a resource without a record. */
const boundToken: Operation = async (user) => {
  const request = tokenRequest(user, { resource: new URL('/api', user.target.endpoints.token).href })
  const { connection, tokens } = user
  return async () => {
    tokens.access(await connection.send(request))
  }
}

const assertion: Operation = async ({ connection, target, tokens }) => {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const { origin } = target.origin
  return async () => {
    const form = new URLSearchParams({ grant_type, scope: 'api.read', assertion: benchAssertion(origin) })
    tokens.access(await connection.send(requestText(target.endpoints.token, { form })))
  }
}

const introspection: Operation = async (user) => {
  const request = introspectionRequest(
    user,
    user.tokens.access(await user.connection.send(tokenRequest(user))),
  )
  return async () => {
    const answer = await user.connection.send(request)
    if (jsonOf(answer).active !== true) throw new WrongAnswer('expected "active":true', answer)
  }
}

const resource: Operation = async (user) => {
  const access_token = user.tokens.access(await user.connection.send(tokenRequest(user)))
  const url = new URL('/api/resource', user.target.origin)
  const request = requestText(url, { headers: { authorization: `Bearer ${access_token}` } })
  expectStatus(await user.connection.send(requestText(url, { headers: { authorization: 'Bearer no' } })), 401)
  return async () => {
    jsonOf(await user.connection.send(request))
  }
}

const discovery: Operation = async (user) => {
  const request = requestText(user.target.discovery)
  const expected = user.target.endpoints.token.href
  return async () => {
    const answer = await user.connection.send(request)
    if (jsonOf(answer).token_endpoint !== expected)
      throw new WrongAnswer('expected the token_endpoint', answer)
  }
}

const session: Operation = async (user) => {
  await codeFlow(user, user.browser)
  return async () => {
    await codeFlow(user, user.browser)
  }
}

const refresh: Operation = async (user) => {
  const { connection, target, tokens } = user
  let refresh_token = String((await codeFlow(user, user.browser)).refresh_token)
  const signs = target.signs_at_refresh
  return async () => {
    const request = asClient(user, target.endpoints.token, { grant_type: 'refresh_token', refresh_token })
    const answer = await connection.send(request)
    const members = jsonOf(answer)
    tokens.access(answer, members)
    refresh_token = tokens.refresh(answer, members)
    if (signs) tokens.id(answer, members)
  }
}

const revocation: Operation = async (user) => {
  const { connection, target, tokens } = user
  const request = tokenRequest(user)
  const revoke = async () => {
    const token = tokens.access(await connection.send(request))
    const answer = await connection.send(asClient(user, target.endpoints.revocation, { token }))
    expectStatus(answer, 200)
    return token
  }
  await expectActive(user, tokens.access(await connection.send(request)), true)
  await expectActive(user, await revoke(), false)
  return async () => {
    await revoke()
  }
}

/** A device whose user never answers. It does not wait, so all polls but the first are told to slow down. */
const devicePoll: Operation = async (user) => {
  const { connection, target } = user
  const url = new URL('/oauth2/device_authorization', target.origin)
  const { device_code } = jsonOf(await connection.send(asClient(user, url, { scope: SCOPE })))
  const poll = { grant_type: DEVICE_GRANT, device_code: String(device_code) }
  const request = asClient(user, target.endpoints.token, poll)
  return async () => {
    const answer = await connection.send(request)
    expectStatus(answer, 400)
    if (!/"error":"(authorization_pending|slow_down)"/.test(answer.body)) {
      throw new WrongAnswer('expected a device that waits', answer)
    }
  }
}

const signIn: Operation = async (user) => async () => {
  await codeFlow(user, new Browser(user.connection, user.target.subject, user.number))
}

export const OPERATIONS: Record<OperationName, Operation> = {
  token,
  'bound-token': boundToken,
  assertion,
  introspection,
  resource,
  discovery,
  session,
  refresh,
  revocation,
  'device-poll': devicePoll,
  'sign-in': signIn,
}
