import type { Test } from 'tap'
import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { allowDevice, deviceOf, storeDevices } from '../device.ts'
import { observed, ofRequests } from '../observed.ts'
import type { TestOptions } from '../service.ts'
import { codeRequest, SECRET, type Service, startService, VERIFIER } from '../service.ts'

const WRITES = new Set([
  'put code',
  'create user-code',
  'create client',
  'change client',
  'take client',
  'create user',
  'change user',
  'take user',
  'saveClientToken',
  'grantOnce',
  'deriveToken',
  'endDerived',
  'useOnce',
  'take pushed',
  'revokeToken',
  'revokeFamily',
  'replace',
])

/** A service under attack. */
export interface Siege extends Service {
  /** The names of storage calls since the list was last emptied. */
  calls: string[]
  /** Those of them that wrote something. */
  writes: string[]
  /** Values that must never be in a log line. */
  secrets: string[]
  /** Tokens of a user by the code grant; getting them is not recorded in `calls` and `writes`. */
  tokens(): Promise<{ access_token: string; refresh_token: string; id_token: string }>
  /** The device code of a device that alice allowed. */
  device(): Promise<string>
  /** Sends a request and describes the response. */
  send(request: Attack): Promise<Reply>
}

export interface Attack {
  method?: string
  url: string
  headers?: Record<string, string | string[]>
  payload?: string | Buffer
}

export interface Reply {
  status: number
  headers: Record<string, string | number | string[] | undefined>
  body: string
  location: string | undefined
  /** `error` of a JSON body, of a redirect, or of a page. */
  error: string | undefined
}

/** A test that ends with a check of the service: alive, no writes, unchanged prototypes, a clean log. */
export function siege(
  name: string,
  attack: (t: Test, service: Siege) => Promise<void>,
  options: TestOptions = {},
): void {
  t.test(name, async (t) => {
    const before = prototypes()
    const service = await startSiege(t, options)
    await attack(t, service)
    t.strictSame(service.writes, [], 'nothing was written')
    t.strictSame(logFaults(service), [], 'the log is clean')
    t.strictSame(prototypes(), before, 'no prototype was changed')
    t.equal((await service.get('/health')).status, 200, 'the process is alive')
  })
}

/** Splits a text into words: for tables of strings without white space. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** Runs a table of attacks as one assertion; a failure names the rows with errors. */
export async function each<T>(
  t: Test,
  name: string,
  rows: readonly T[],
  attack: (row: T) => Promise<readonly string[]>,
): Promise<void> {
  const wrong = []
  for (const row of rows) {
    const found = await attack(row)
    if (found.length > 0) wrong.push({ row: JSON.stringify(row)?.slice(0, 120), found })
  }
  // The first five are enough.
  t.strictSame(wrong.slice(0, 5), [], name)
}

async function startSiege(t: Test, options: TestOptions): Promise<Siege> {
  const calls: string[] = []
  const writes: string[] = []
  const service = await startService(t, { ...options, storage: noting(new MemoryStorage(), calls, writes) })
  const secrets = [SECRET, VERIFIER, Buffer.from(SECRET).toString('base64')]
  const forget = () => {
    calls.length = 0
    writes.length = 0
  }
  const tokens = async () => {
    const answer = await service.token(codeRequest(await service.code()))
    forget()
    const { access_token, refresh_token, id_token } = answer.json
    const issued = {
      access_token: String(access_token),
      refresh_token: String(refresh_token),
      id_token: String(id_token),
    }
    secrets.push(...Object.values(issued))
    return issued
  }
  await storeDevices(service.storage)
  const device = async () => {
    const { device_code } = (await deviceOf(service).printer.ask()).json
    await allowDevice(service.storage, String(device_code))
    forget()
    secrets.push(String(device_code))
    return String(device_code)
  }
  const send = async (request: Attack) => {
    const response = await service.fastify.inject(request as { url: string })
    return describe(response.statusCode, response.headers, response.body)
  }
  forget()
  return { ...service, calls, writes, secrets, tokens, device, send }
}

/** A storage that notes its calls, and which of them changed something. */
function noting(storage: Storage, calls: string[], writes: string[]): Storage {
  const note = ofRequests((call, run) => {
    calls.push(call)
    const result = run()
    if (WRITES.has(call)) writes.push(call)
    if (call === 'redeemCode') void (result as Promise<{ outcome: string }>).then(onRedeemed)
    return result
  })
  return observed(storage, note)

  // A mismatch does not change the code.
  function onRedeemed({ outcome }: { outcome: string }) {
    if (outcome === 'ok' || outcome === 'replayed') writes.push('redeemCode')
  }
}

function describe(status: number, headers: object, body: string): Reply {
  const all = headers as Reply['headers']
  const location = all.location === undefined ? undefined : String(all.location)
  const json = String(all['content-type']).includes('application/json') && body !== '' ? JSON.parse(body) : {}
  const shown = /<dd><code>(\w+)<\/code>/.exec(body)?.[1]
  const target = location !== undefined && URL.canParse(location) ? new URL(location) : undefined
  const redirected = target?.searchParams.get('error') ?? undefined
  return { status, headers: all, body, location, error: json.error ?? shown ?? redirected }
}

const ERROR_BODY = /^\{"error":"[a-z_]+","error_description":"[\x20-\x7e]+"\}$/

/** The errors in a refusal: none if status, code and form are right and it does not redirect. */
export function refusalFaults(reply: Reply, status: number, error: string): string[] {
  const faults = []
  if (reply.status !== status) faults.push(`status ${reply.status} instead of ${status}`)
  if (reply.error !== error) faults.push(`error ${reply.error} instead of ${error}`)
  if (reply.location !== undefined) faults.push(`redirects to ${reply.location}`)
  if (reply.headers['cache-control'] !== 'no-store') faults.push('may be cached')
  const type = reply.headers['content-type']
  if (type !== 'text/html; charset=utf-8' && !ERROR_BODY.test(reply.body)) faults.push(`body ${reply.body}`)
  return faults
}

/** The errors in the log: lines that are not JSON, server errors, secrets. */
function logFaults({ log, secrets }: Pick<Siege, 'log' | 'secrets'>): string[] {
  return log.flatMap((line) => {
    const faults = secrets.filter((secret) => line.includes(secret)).map(() => `a secret in ${line}`)
    if (!/^\{.*\}\n$/.test(line)) return [...faults, `not one line: ${line}`]
    const { level } = JSON.parse(line) as { level: number }
    return level >= 50 ? [...faults, `a fault of ours: ${line}`] : faults
  })
}

function prototypes(): string[] {
  const all = [Object, Array, Function, String, Map, Set, Promise, Error, RegExp, Buffer, URLSearchParams]
  return all.flatMap(({ name, prototype }) =>
    Reflect.ownKeys(prototype as object).map((key) => `${name}.${String(key)}`),
  )
}
