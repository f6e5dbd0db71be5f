// The operations: what one user of the load does, with the check of each answer.
import { TOKEN_EXCHANGE } from '../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../src/core/token-types.ts'
import { MAX_DERIVED } from '../src/storage/derivation.ts'
import { introspectionOf, jsonOf, WrongAnswer } from './answers.ts'
import { workloadAssertion } from './assertion.ts'
import { Browser } from './browser.ts'
import { codeFlow } from './code-flow.ts'
import { type Answer, requestText } from './connection.ts'
import {
  asClient,
  introspectionRequest,
  resourceRequests,
  SCOPE,
  tokenRequest,
  tokenRequests,
} from './requests.ts'
import type { OperationName } from './row.ts'
import type { User } from './user.ts'

/** Prepares a user for a burst and returns what it then repeats. */
type Operation = (user: User) => Promise<() => Promise<void>>

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

function expectStatus(answer: Answer, status: number): void {
  if (answer.status !== status) throw new WrongAnswer(`expected status ${status}`, answer)
}

async function expectActive(user: User, token: string, active: boolean): Promise<void> {
  const answer = await user.connection.send(introspectionRequest(user, token))
  if (jsonOf(answer).active !== active) throw new WrongAnswer(`expected "active":${active}`, answer)
}

/** Repeats a request for a token. */
const repeated =
  ({ connection, tokens }: User, next: () => string) =>
  async () => {
    tokens.access(await connection.send(next()))
  }

const token: Operation = async (user) => {
  const { connection, settings, tokens } = user
  if (settings.dpop || settings.auth === 'private_key_jwt') {
    const request = tokenRequest(user)
    tokens.access(await connection.send(request))
    expectStatus(await connection.send(request), settings.dpop ? 400 : 401)
  }
  return repeated(user, tokenRequests(user))
}

/** A token for the API of the server itself, which is a resource without a record. */
const boundToken: Operation = async (user) => {
  const resource = new URL('/api', user.target.endpoints.token).href
  return repeated(user, tokenRequests(user, { resource }))
}

const assertion: Operation = async (user) => {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const { origin, endpoints } = user.target
  const next = user.signed.prepare(() => {
    const form = { grant_type, scope: 'api.read', assertion: workloadAssertion(origin.origin) }
    return requestText(endpoints.token, { form: new URLSearchParams(form) })
  })
  return repeated(user, next)
}

/** A token with which the client acts for a user. So many can be derived from one sign-in, then the user signs in again. */
const exchange: Operation = async (user) => {
  const { connection, target, tokens } = user
  const resource = new URL('/api', target.endpoints.token).href
  let request = ''
  let left = 0
  const signIn = async () => {
    const { access_token } = await codeFlow(user, user.browser)
    const subject = { subject_token: String(access_token), subject_token_type: TOKEN_TYPE.access_token }
    request = asClient(user, target.endpoints.token, { grant_type: TOKEN_EXCHANGE, resource, ...subject })
    left = MAX_DERIVED
  }
  await signIn()
  return async () => {
    if (left === 0) await signIn()
    left -= 1
    tokens.access(await connection.send(request))
  }
}

/** An access token of the client. */
const ownToken = async (user: User) => user.tokens.access(await user.connection.send(tokenRequest(user)))

const introspection: Operation = async (user) => {
  const request = introspectionRequest(user, await ownToken(user))
  return async () => {
    const answer = await user.connection.send(request)
    if (jsonOf(answer).active !== true) throw new WrongAnswer('expected "active":true', answer)
  }
}

/** Introspection whose answer is a JWT (RFC 9701). */
const signedIntrospection: Operation = async (user) => {
  const accept = 'application/token-introspection+jwt'
  const request = introspectionRequest(user, await ownToken(user), { accept })
  return async () => {
    const answer = await user.connection.send(request)
    if (introspectionOf(answer).active !== true) throw new WrongAnswer('expected "active":true', answer)
  }
}

const resource: Operation = async (user) => {
  const { connection, settings, target } = user
  const access_token = await ownToken(user)
  const url = new URL('/api/resource', target.origin)
  const withBearer = (token: string) => requestText(url, { headers: { authorization: `Bearer ${token}` } })
  expectStatus(await connection.send(withBearer(settings.dpop ? access_token : 'no')), 401)
  const next = resourceRequests(user, url, access_token)
  if (settings.dpop) {
    const request = next()
    jsonOf(await connection.send(request))
    expectStatus(await connection.send(request), 401)
  }
  return async () => {
    jsonOf(await connection.send(next()))
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

const pushedSession: Operation = async (user) => {
  await codeFlow(user, user.browser, 'pushed')
  return async () => {
    await codeFlow(user, user.browser, 'pushed')
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
  const next = tokenRequests(user)
  const revoke = async () => {
    const token = tokens.access(await connection.send(next()))
    const answer = await connection.send(asClient(user, target.endpoints.revocation, { token }))
    expectStatus(answer, 200)
    return token
  }
  await expectActive(user, await ownToken(user), true)
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
  exchange,
  introspection,
  'signed-introspection': signedIntrospection,
  resource,
  discovery,
  session,
  'pushed-session': pushedSession,
  refresh,
  revocation,
  'device-poll': devicePoll,
  'sign-in': signIn,
}
