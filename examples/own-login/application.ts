// An application with accounts and a sign-in page of its own, in front of redmint: set LOGIN_URL of redmint to its /login,
// and CONSENT_URL to its /consent.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const { ISSUER = 'http://localhost:3000', CLIENT_ID = 'own-login', CLIENT_SECRET = '' } = process.env
const PORT = Number(process.env.PORT ?? 4000)
const ADMIN = `${ISSUER}/admin/v1`

// Yours are in a database, and of passwords it has hashes.
const ACCOUNTS = [
  { id: 'u-1001', login: 'ann', password: 'correct horse', name: 'Ann Example', email: 'ann@example.org' },
]

/** Who is signed in here, by the value of a cookie, and since when. Yours end, and are in a database. */
const SESSIONS = new Map<string, Session>()

interface Session {
  readonly account: (typeof ACCOUNTS)[number]
  /** Seconds since 1970. */
  readonly auth_time: number
}

/** What redmint says of a challenge. */
interface Login {
  readonly is_again: boolean
  readonly max_age?: number
  readonly client?: { readonly client_name?: string }
  readonly login_hint?: string
}

let token: { readonly text: string; readonly ends_at: number } | undefined

/** An access token for the admin API, which lasts for many sign-ins. */
async function accessToken(): Promise<string> {
  if (token === undefined || token.ends_at < Date.now()) {
    const credentials = [CLIENT_ID, CLIENT_SECRET].map(encodeURIComponent).join(':')
    const answer = await fetch(`${ISSUER}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: ADMIN }),
    })
    if (!answer.ok) throw new Error(`no token: ${await answer.text()}`)
    const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number }
    token = { text: access_token, ends_at: Date.now() + (expires_in - 30) * 1000 }
  }
  return token.text
}

/** Asks redmint about a challenge, or answers it; undefined: the challenge is over. */
async function ask<Answer>(
  challenge: string,
  answer = '',
  body?: object,
  kind: 'logins' | 'consents' = 'logins',
): Promise<Answer | undefined> {
  const response = await fetch(`${ADMIN}/${kind}/${encodeURIComponent(challenge)}${answer}`, {
    method: answer === '' ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await accessToken()}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return (await response.json()) as Answer
  if (response.status === 404 || response.status === 409) return undefined
  throw new Error(`redmint answers ${response.status}: ${await response.text()}`)
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><title>The shop</title>${body}`)
}

const over = (response: ServerResponse) =>
  send(response, 400, '<h1>Start again</h1><p>Go back to the application, and sign in there.</p>')

function showForm(
  response: ServerResponse,
  challenge: string,
  { client, login_hint = '' }: Login,
  alert = '',
) {
  const name = client?.client_name ?? 'your account'
  const form = `<h1>Sign in to the shop</h1><p>You go on to ${escapeHtml(name)}.</p><p role="alert">${alert}</p>
<form method="post" action="/login"><input type="hidden" name="login_challenge" value="${escapeHtml(challenge)}">
<label>Name <input name="login" autocomplete="username" value="${escapeHtml(login_hint)}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button name="do" value="accept">Sign in</button><button name="do" value="refuse">Cancel</button></form>`
  send(response, alert === '' ? 200 : 401, form)
}

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Compares digests, which have the same length. */
const isRight = (given: string, password: string) => timingSafeEqual(digestOf(given), digestOf(password))

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) throw new Error('the form is too long')
  }
  return new URLSearchParams(text)
}

/** What redmint says of the challenge of a consent. */
interface Consent {
  readonly client: { readonly client_name?: string }
  readonly scope: string
  readonly required: string
}

const wordsOf = (text: string) => text.split(' ').filter((word) => word !== '')

function showConsent(response: ServerResponse, challenge: string, { client, scope, required }: Consent) {
  const boxes = wordsOf(scope)
    .filter((name) => !wordsOf(required).includes(name))
    .map(
      (name) =>
        `<p><label><input type="checkbox" name="scope" value="${escapeHtml(name)}" checked> ${escapeHtml(name)}</label></p>`,
    )
  const form = `<h1>${escapeHtml(client.client_name ?? 'An application')} asks</h1>
<form method="post" action="/consent"><input type="hidden" name="consent_challenge" value="${escapeHtml(challenge)}">
${boxes.join('')}
<button name="do" value="accept">Allow</button><button name="do" value="refuse">Refuse</button></form>`
  send(response, 200, form)
}

async function takeConsent(form: URLSearchParams, response: ServerResponse): Promise<void> {
  const challenge = form.get('consent_challenge') ?? ''
  if (form.get('do') === 'refuse')
    return goOn(response, await ask(challenge, '/refuse', undefined, 'consents'))
  const asked = await ask<Consent>(challenge, '', undefined, 'consents')
  if (asked === undefined) return over(response)
  const scope = [...wordsOf(asked.required), ...form.getAll('scope')].join(' ')
  goOn(response, await ask(challenge, '/accept', { scope }, 'consents'))
}

function goOn(response: ServerResponse, answer: { redirect_to?: string } = {}, cookie?: string): void {
  const { redirect_to } = answer
  if (redirect_to === undefined) over(response)
  else {
    if (cookie !== undefined)
      response.setHeader('set-cookie', `shop=${cookie}; Path=/login; HttpOnly; SameSite=Lax`)
    response.writeHead(303, { location: redirect_to, 'cache-control': 'no-store' }).end()
  }
}

async function takeForm(form: URLSearchParams, response: ServerResponse): Promise<void> {
  const challenge = form.get('login_challenge') ?? ''
  const account = ACCOUNTS.find(({ login }) => login === form.get('login'))
  const refuses = form.get('do') === 'refuse'
  if (!refuses && (account === undefined || !isRight(form.get('password') ?? '', account.password))) {
    const login = await ask<Login>(challenge)
    return login === undefined ? over(response) : showForm(response, challenge, login, 'That is not right.')
  }
  if (refuses || account === undefined) return goOn(response, await ask(challenge, '/refuse'))
  const session = { account, auth_time: Math.floor(Date.now() / 1000) }
  const cookie = randomUUID()
  SESSIONS.set(cookie, session)
  goOn(response, await accept(challenge, session), cookie)
}

/** Says who signed in, and when. */
function accept(challenge: string, { account, auth_time }: Session): Promise<object | undefined> {
  const claims = { name: account.name, email: account.email, email_verified: true }
  const body = { sub: account.id, username: account.login, amr: ['pwd'], auth_time, claims }
  return ask(challenge, '/accept', body)
}

/** The session of a browser, if it answers: only if redmint does not ask anew, or its age will do. */
function sessionFor({ headers }: IncomingMessage, { is_again, max_age = -1 }: Login): Session | undefined {
  const [, cookie = ''] = /(?:^|; )shop=([^;]+)/.exec(headers.cookie ?? '') ?? []
  const session = SESSIONS.get(cookie)
  const is_recent = session !== undefined && Date.now() / 1000 - session.auth_time <= max_age
  return !is_again || is_recent ? session : undefined
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', `http://localhost:${PORT}`)
  if (pathname === '/consent') {
    if (request.method === 'POST') return takeConsent(await readForm(request), response)
    const challenge = searchParams.get('consent_challenge') ?? ''
    const asked = challenge === '' ? undefined : await ask<Consent>(challenge, '', undefined, 'consents')
    return asked === undefined ? over(response) : showConsent(response, challenge, asked)
  }
  if (pathname !== '/login') return send(response, 404, '<h1>Nothing is here</h1>')
  if (request.method === 'POST') return takeForm(await readForm(request), response)
  const challenge = searchParams.get('login_challenge') ?? ''
  const login = challenge === '' ? undefined : await ask<Login>(challenge)
  if (login === undefined) return over(response)
  const session = sessionFor(request, login)
  return session === undefined
    ? showForm(response, challenge, login)
    : goOn(response, await accept(challenge, session))
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error)
    send(response, 503, '<h1>Try again later</h1>')
  })
}).listen(PORT, '127.0.0.1', () => console.log(`The sign-in page is http://localhost:${PORT}/login`))
