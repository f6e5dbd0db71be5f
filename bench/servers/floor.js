// The floor: the barest server of this design that answers the same requests. Clients in memory, one Redis command for
// what is stored, one socket write for each turn of the event loop, node:crypto. It has no log, metrics, hooks, limits or
// validation beyond what an answer needs, and signs no id_token at a refresh. With PASSWORD it verifies a password at each
// sign-in as redmint does: hashes set the pace, and a server that waits for them answers each request from a cold start.
// With GUARDED it has what guards.js lists, and signs an id_token at a refresh.
import { hash as digestOf, generateKeyPairSync, randomFillSync, sign, timingSafeEqual } from 'node:crypto'
import { parse } from 'node:querystring'
import { Algorithm, hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import { corkedRedis } from './corked-redis.js'

const { PORT, REDIS_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env
const { ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_ALG, ID_TOKEN_ALG, PASSWORD, GUARDED } = process.env
const ISSUER = `http://127.0.0.1:${PORT}`
const TTL = 900
const redis = corkedRedis(REDIS_URL)
const sha256 = (text) => digestOf('sha256', text, 'base64url')
const isSame = (one, other) => timingSafeEqual(Buffer.from(one), Buffer.from(other))
const clients = new Map([[CLIENT_ID, { secret: sha256(CLIENT_SECRET) }]])
const guards = GUARDED ? await import('./guards.js') : undefined
const fastify = Fastify(guards?.OPTIONS)
guards?.guard(fastify)
const COST = { algorithm: Algorithm.Argon2id, memoryCost: 19456, timeCost: 2, parallelism: 1 }
const password_hash = PASSWORD && (await hash(PASSWORD, COST))

/** How each algorithm signs: a key pair of this process, and the rest of the arguments of `sign`. */
const SIGNERS = {
  ES256: () => [
    'sha256',
    { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, dsaEncoding: 'ieee-p1363' },
  ],
  EdDSA: () => [null, generateKeyPairSync('ed25519').privateKey],
  RS256: () => ['sha256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
}
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signer = (alg, typ) => {
  const header = base64url({ alg, typ, kid: '1' })
  const [digest, key] = SIGNERS[alg]()
  return (claims) => {
    const input = `${header}.${base64url(claims)}`
    return `${input}.${sign(digest, Buffer.from(input), key).toString('base64url')}`
  }
}
const signAccessToken = signer(ACCESS_TOKEN_ALG, 'at+jwt')
const signIdToken = signer(ID_TOKEN_ALG, 'JWT')

/** Resolves after the requests of this turn of the event loop were read: their answers leave together. */
let turn
const endOfTurn = () => {
  turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = undefined
      resolve()
    }),
  )
  return turn
}

// Random bytes are drawn many at a time, as redmint does.
const TOKEN_BYTES = 45
const pool = Buffer.alloc(TOKEN_BYTES * 100)
let used = pool.length
const draw = () => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += TOKEN_BYTES
  return pool.toString('base64url', used - TOKEN_BYTES, used)
}
const now = () => Math.floor(Date.now() / 1000)
const put = (kind, id, value, ttl) => redis.set(`${kind}:${id}`, JSON.stringify(value), 'EX', ttl)
const get = async (kind, id) => JSON.parse((await redis.get(`${kind}:${id}`)) ?? 'null')
const take = async (kind, id) => JSON.parse((await redis.getdel(`${kind}:${id}`)) ?? 'null')
const tokens = (await guards?.tokenRecords(redis, clients)) ?? {
  save: (token, { client_id, sub, scope }, ttl) =>
    put('token', token, { client_id, sub, scope, exp: now() + ttl }, ttl),
  find: (token) => get('token', token),
  revoke: (token) => redis.del(`token:${token}`),
}

fastify.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, text, done) => done(null, parse(text)),
)

function authenticate({ headers, body }) {
  let { client_id = '', client_secret = '' } = body
  if (headers.authorization) {
    const pair = Buffer.from(headers.authorization.slice(6), 'base64').toString()
    const colon = pair.indexOf(':')
    client_id = decodeURIComponent(pair.slice(0, colon))
    client_secret = decodeURIComponent(pair.slice(colon + 1))
  }
  const client = clients.get(client_id)
  if (!client || !isSame(client.secret, sha256(client_secret))) throw new Error('invalid_client')
  return client_id
}

async function accessToken(client_id, sub, scope) {
  if (ACCESS_TOKEN_FORMAT === 'jwt') {
    await endOfTurn()
    const iat = now()
    return signAccessToken({
      iss: ISSUER,
      aud: ISSUER,
      sub,
      client_id,
      scope,
      jti: draw(),
      iat,
      exp: iat + TTL,
    })
  }
  const token = draw()
  await tokens.save(token, { client_id, sub, scope }, TTL)
  return token
}

/** Writes both tokens of a sign-in at once. */
async function family({ client_id, sub, scope }) {
  const refresh_token = draw()
  const [access_token] = await Promise.all([
    accessToken(client_id, sub, scope),
    put('refresh', refresh_token, { client_id, sub, scope }, 2592000),
  ])
  return { access_token, refresh_token }
}

function idToken({ client_id, sub }) {
  const iat = now()
  return signIdToken({ iss: ISSUER, aud: client_id, sub, iat, exp: iat + TTL })
}

const GRANTS = {
  async client_credentials(client_id, { scope }) {
    return { access_token: await accessToken(client_id, client_id, scope), scope }
  },
  async authorization_code(client_id, body) {
    const code = await take('code', body.code)
    if (code?.client_id !== client_id || code.redirect_uri !== body.redirect_uri)
      throw new Error('invalid_grant')
    if (sha256(body.code_verifier) !== code.challenge) throw new Error('invalid_grant')
    return { ...(await family(code)), scope: code.scope, id_token: idToken(code) }
  },
  async refresh_token(client_id, body) {
    const refresh = await take('refresh', body.refresh_token)
    if (refresh?.client_id !== client_id) throw new Error('invalid_grant')
    return { ...(await family(refresh)), scope: refresh.scope, ...(guards && { id_token: idToken(refresh) }) }
  },
}

fastify.post('/token', async (request, reply) => {
  const granted = await GRANTS[request.body.grant_type](authenticate(request), request.body)
  reply.header('cache-control', 'no-store')
  return { ...granted, token_type: 'Bearer', expires_in: TTL }
})

fastify.post('/introspect', async (request) => {
  authenticate(request)
  const token = await tokens.find(request.body.token)
  return token ? { active: true, token_type: 'Bearer', iss: ISSUER, ...token } : { active: false }
})

fastify.post('/revoke', async (request) => {
  await tokens.revoke(request.body.token, authenticate(request))
  return ''
})

fastify.get('/api/resource', async ({ headers }) => {
  const token = await tokens.find(headers.authorization.slice(7))
  if (!token) throw Object.assign(new Error('invalid_token'), { statusCode: 401 })
  return { message: 'Hello', subject: token.sub, scope: token.scope }
})

async function leave(reply, query, sub) {
  const code = draw()
  const { client_id, redirect_uri, scope, code_challenge: challenge, state } = query
  if (!clients.has(client_id) || redirect_uri !== REDIRECT_URI) throw new Error('invalid_request')
  await put('code', code, { client_id, redirect_uri, scope, challenge, sub }, 60)
  return reply.redirect(`${redirect_uri}?${new URLSearchParams({ code, state, iss: ISSUER })}`, 302)
}

fastify.get('/authorize', async ({ query, headers }, reply) => {
  const id = /session=([\w-]+)/.exec(headers.cookie ?? '')?.[1]
  const session = id && (await get('session', id))
  if (session) return leave(reply, query, session.sub)
  const pending = draw()
  await put('pending', pending, query, 1800)
  return reply.redirect(`/sign-in?pending=${pending}`, 302)
})

fastify.get('/sign-in', (request, reply) =>
  reply
    .type('text/html')
    .send(
      '<form method="post" action="/sign-in">' +
        `<input type="hidden" name="pending" value="${request.query.pending}">` +
        '<input name="username"><input name="password" type="password"><button>Sign in</button></form>',
    ),
)

fastify.post('/sign-in', async ({ body }, reply) => {
  if (password_hash && !(await verify(password_hash, body.password))) throw new Error('access_denied')
  const query = await take('pending', body.pending)
  const session = draw()
  await put('session', session, { sub: body.username }, 14400)
  reply.header('set-cookie', `session=${session}; Path=/; HttpOnly; SameSite=Lax`)
  return leave(reply, query, body.username)
})

// As long as that of redmint: bytes cost every server the same.
const discovery = JSON.stringify({
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  introspection_endpoint: `${ISSUER}/introspect`,
  revocation_endpoint: `${ISSUER}/revoke`,
  padding: 'x'.repeat(3440),
})
fastify.get('/.well-known/openid-configuration', (_request, reply) => {
  reply.type('application/json').send(discovery)
})

await fastify.listen({ host: '127.0.0.1', port: Number(PORT) })
