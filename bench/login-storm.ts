// Compares the token endpoint alone and during 50 concurrent users who repeat failed sign-ins, on one server with storage
// in memory, in turn, round by round; the ratio counts.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon, { type Result } from 'autocannon'
import { SIGN_IN_QUERY, TOKEN_REQUEST } from './client.ts'

const PORT = 4450
const ISSUER = `http://127.0.0.1:${PORT}`
const ROUNDS = 5
const SECONDS = 2
const TOKEN_CONNECTIONS = 16
const PEOPLE = 50
// The sign-ins start before the measurement and end after it.
const MARGIN_SECONDS = 1

/** A sign-in page, and the form that a browser sends for a username. */
interface Form {
  cookie: string
  page: string
  bodyFor(username: string): string
}

const server = fork(new URL('servers/redmint.ts', import.meta.url), {
  env: {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(PORT),
    ISSUER,
    REDIS_URL: '',
    // Each of them fails again and again, from an address of its own.
    SIGN_IN_FAILURES: '1000000',
    TRUSTED_PROXIES: '127.0.0.1',
  },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
try {
  await once(server, 'message')
  const form = await openForm()
  const rounds: { alone: Result; stormy: Result; storm: Result }[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const alone = await askForTokens()
    const storm = tryPasswords(form)
    await new Promise((resolve) => setTimeout(resolve, (MARGIN_SECONDS * 1000) / 2))
    const stormy = await askForTokens()
    // The first round warms up.
    if (round > 0) rounds.push({ alone, stormy, storm: await storm })
    else await storm
  }
  const page = await fetch(form.page, { headers: { cookie: form.cookie } })
  if (!(await page.text()).includes('role="alert"')) throw new Error('no password was looked at')
  report(rounds)
} finally {
  server.kill()
}

async function openForm(): Promise<Form> {
  const request = await fetch(`${ISSUER}/oauth2/authorize?${SIGN_IN_QUERY}`, { redirect: 'manual' })
  const cookie = request.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const page = await fetch(new URL(request.headers.get('location') ?? '', ISSUER), { headers: { cookie } })
  const hidden = [...(await page.text()).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value])
  const bodyFor = (username: string) =>
    new URLSearchParams([...fields, ['username', username], ['password', 'a wrong password']]).toString()
  return { cookie, page: page.url, bodyFor }
}

function askForTokens(): Promise<Result> {
  return measured({
    url: `${ISSUER}/oauth2/token`,
    connections: TOKEN_CONNECTIONS,
    duration: SECONDS,
    ...TOKEN_REQUEST,
  })
}

function tryPasswords({ cookie, bodyFor }: Form): Promise<Result> {
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  let people = 0
  return measured({
    url: `${ISSUER}/oauth2/interaction`,
    connections: PEOPLE,
    duration: SECONDS + MARGIN_SECONDS,
    method: 'POST',
    setupClient(client) {
      people += 1
      client.setHeadersAndBody(
        { ...headers, 'x-forwarded-for': `203.0.113.${people}` },
        bodyFor(`user-${people}`),
      )
    },
    expectBody: '',
  })
}

async function measured(options: autocannon.Options): Promise<Result> {
  const result = await autocannon(options)
  const bad = result['4xx'] + result['5xx'] + result.errors + result.timeouts + result.mismatches
  if (bad > 0) throw new Error(`${bad} answers of ${options.url} are not what is to be measured`)
  return result
}

function report(rounds: readonly { alone: Result; stormy: Result; storm: Result }[]): void {
  const rows: [string, (result: { alone: Result; stormy: Result }) => [number, number]][] = [
    ['requests/s', ({ alone, stormy }) => [alone.requests.average, stormy.requests.average]],
    ['p99, ms', ({ alone, stormy }) => [alone.latency.p99, stormy.latency.p99]],
  ]
  const attempts = median(rounds.map(({ storm }) => storm.requests.average))
  console.log(
    `Token endpoint, client_credentials by Basic, ${TOKEN_CONNECTIONS} connections, alone and while ${PEOPLE} people try passwords (${attempts.toFixed(0)} attempts/s); ${ROUNDS} rounds of ${SECONDS} s, Node ${process.version}`,
  )
  console.log('| | alone (median) | in the storm (median) | ratio (min, median, max) |\n|---|---|---|---|')
  for (const [name, read] of rows) {
    const found = rounds.map(read)
    const ratios = found.map(([alone, stormy]) => stormy / alone).sort((a, b) => a - b)
    const [low, high] = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2))
    const [alone, stormy] = [median(found.map(([value]) => value)), median(found.map(([, value]) => value))]
    console.log(
      `| ${name} | ${alone.toFixed(0)} | ${stormy.toFixed(0)} | ${low}, ${median(ratios).toFixed(2)}, ${high} |`,
    )
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
