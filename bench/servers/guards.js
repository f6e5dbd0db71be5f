// What redmint owes each request, as barely as it can be written, for the floor with GUARDED: an id, a log line, a metric,
// the count that a drain waits for, the headers of every answer; and tokens as hashes with fields of their own, which one
// script writes or reads with the record of their grant. No limit, retry, validation of parameters or security event.
import { randomFillSync } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
const PIPE_BUF = 4096
const LINE_END = '},"msg":"request completed"}\n'

const pool = Buffer.allocUnsafeSlow(4096)
let drawn = pool.length

/** 96 random bits. */
function requestId() {
  if (drawn + 12 > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += 12
  return pool.toString('base64url', drawn - 12, drawn)
}

/** Of the Fastify instance. */
export const OPTIONS = { genReqId: requestId }

const log = openSync('/dev/null', 'w')
let lines = ''

function flush() {
  const text = lines
  lines = ''
  if (text !== '') writeSync(log, text)
}

/** The lines of one turn of the event loop leave by one write. */
function writeLine(line) {
  if (lines.length + line.length > PIPE_BUF) flush()
  if (lines === '') setImmediate(flush)
  lines += line
}

function lineOf(request, reply, ms) {
  const path = request.url.split('?', 1)[0]
  const req = `{"method":"${request.method}","path":${JSON.stringify(path)},"remoteAddress":"${request.ip}"}`
  const took = Math.round(ms * 1000) / 1000
  const head = `{"level":30,"time":${Date.now()},"pid":${process.pid},"reqId":"${request.id}"`
  return `${head},"req":${req},"responseTime":${took},"res":{"statusCode":${reply.statusCode}${LINE_END}`
}

const series = new Map()

function observe(name, seconds) {
  let one = series.get(name)
  if (one === undefined) {
    one = { counts: new Array(BOUNDS.length + 1).fill(0), sum: 0 }
    series.set(name, one)
  }
  let bucket = 0
  while (seconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
  one.counts[bucket]++
  one.sum += seconds
}

const isAuthorization = (name) => name.length === 13 && name.toLowerCase() === 'authorization'

/** Adds what every request gets. */
export function guard(fastify) {
  let unanswered = 0
  fastify.addHook('onRequest', (request, reply, done) => {
    unanswered++
    reply.raw.on('close', () => unanswered--)
    const { rawHeaders } = request.raw
    let found = 0
    for (let i = 0; i < rawHeaders.length; i += 2) if (isAuthorization(rawHeaders[i])) found++
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    done(found > 1 ? new Error('invalid_request') : undefined)
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime
    observe(`${request.method} ${reply.statusCode} ${request.routeOptions.url}`, ms / 1000)
    writeLine(lineOf(request, reply, ms))
    done()
  })
}

const SAVE = `
if redis.call('HLEN', KEYS[1]) > 0 then return end
local time = redis.call('TIME')
local expires = string.format('%d', (time[1] + ARGV[1]) * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'jti', ARGV[2], 'type', 'access_token', 'subject', ARGV[3], 'scope', ARGV[4],
  'client_id', ARGV[5], 'expires_at', expires, 'revoked', 'false')
redis.call('PEXPIREAT', KEYS[1], expires)`
// The first command fails on a server that accepts no writes: a replica may have an old record. As JSON, because a text is
// read in a quarter of the time of a list of texts.
const FIND = `
redis.call('ZADD', KEYS[3], 'XX', 0, '')
return cjson.encode({ redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]) })`
const REVOKE = `
if redis.call('HGET', KEYS[1], 'client_id') == ARGV[1] then redis.call('HSET', KEYS[1], 'revoked', 'true') end`

const tokenKey = (token) => `redmint:token:{${token.slice(0, 16)}}.${token.slice(16)}`
const grantKey = (token) => `redmint:family:{${token.slice(0, 16)}}`

function hashOf(flat) {
  const hash = {}
  for (let i = 0; i < flat.length; i += 2) hash[flat[i]] = flat[i + 1]
  return hash
}

/** Returns a store of access tokens as hashes. */
export async function tokenRecords(redis, clients) {
  const [saving, finding, revoking] = await Promise.all(
    [SAVE, FIND, REVOKE].map((lua) => redis.script('LOAD', lua)),
  )
  return {
    save: (token, { client_id, sub, scope }, ttl) =>
      redis.evalsha(saving, 1, tokenKey(token), ttl, token, sub === client_id ? '' : sub, scope, client_id),
    async find(token) {
      const grant = grantKey(token)
      const found = await redis.evalsha(finding, 3, tokenKey(token), grant, `${grant}:index`)
      const [own, of_grant] = JSON.parse(found)
      const { jti, type, subject, scope, client_id, expires_at, revoked } = hashOf(own)
      if (jti !== token || type !== 'access_token' || revoked !== 'false') return null
      if (!(Number(expires_at) > Date.now()) || !clients.has(client_id)) return null
      if (of_grant.length > 0 && hashOf(of_grant).status !== 'active') return null
      return { client_id, sub: subject, scope, exp: Math.floor(Number(expires_at) / 1000) }
    },
    revoke: (token, client_id) => redis.evalsha(revoking, 1, tokenKey(token), client_id),
  }
}
