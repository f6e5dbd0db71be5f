// What twenty consoles cost the token endpoint.
import { formatClient } from '../src/clients/record/client-record.ts'
import { secretHash } from '../src/clients/record/client-secret.ts'
import { FOLLOW_EVERY } from '../src/console/pages/script.ts'
import type { Storage } from '../src/storage/storage.ts'
import { CallbackClient, type Exchange } from '../test/support/callback-client.ts'
import { createClient } from '../test/support/records.ts'
import { basic, SECRET } from '../test/support/service.ts'
import type { Visitor } from '../test/support/visitor.ts'
import { CLIENT } from './client.ts'
import { cpuOf } from './growth-load.ts'
import { quantile } from './statistics.ts'
import type { Table } from './table.ts'

const CONSOLES = 20
const CONNECTIONS = 16
/** A turn in milliseconds of CPU of the server, which is what so much time is for a server is that does nothing else. */
const TURN = Number(process.env.CONSOLE_TURN ?? 1000)
const TURNS = 5
const TOKENS_AT_A_TIME = 50

interface Measured {
  readonly storage: Storage
  readonly server: { readonly port: number; readonly pid: number }
  /** Signs an operator in at the console. */
  signIn(name: string): Promise<Visitor>
}

/**
 * Tells the CPU time of the server for a token while nobody, and while twenty operators follow events live, turn by turn. A
 * busy server is meant, so the operators ask by its CPU time: each once in as much of it as their script waits.
 */
export async function followConsoles({ storage, server, signIn }: Measured): Promise<Table> {
  const { client_id } = CLIENT
  await createClient(storage, client_id, formatClient({ ...CLIENT, client_secret_hash: secretHash(SECRET) }))
  const visitors: Visitor[] = []
  for (let i = 0; i < CONSOLES; i++) visitors.push(await signIn(`follower-${i}`))
  const clients = Array.from({ length: CONNECTIONS }, () => new CallbackClient(server.port))
  let asked = 0
  const follow = async () => {
    const answer = await visitors[asked++ % CONSOLES]?.request('GET', '/console/events')
    if (answer?.status !== 200) throw new Error(`the events have the status ${answer?.status}`)
  }

  /** CPU for a token in one turn, in microseconds. */
  async function turn(is_followed: boolean): Promise<number> {
    const start = cpuOf(server.pid)
    let [tokens, due] = [0, 0]
    for (;;) {
      const spent = cpuOf(server.pid) - start
      if (spent >= TURN * 1000) return spent / tokens
      const follows = []
      for (; is_followed && due * 1000 <= spent; due += FOLLOW_EVERY / CONSOLES) follows.push(follow())
      await Promise.all([...follows, ...clients.map((client) => play(client, client_id))])
      tokens += CONNECTIONS * TOKENS_AT_A_TIME
    }
  }

  await turn(true)
  const found: { alone: number; followed: number; again: number }[] = []
  for (let i = 0; i < TURNS; i++)
    found.push({ alone: await turn(false), followed: await turn(true), again: await turn(false) })
  for (const client of clients) client.close()
  const median = (values: readonly number[]) => quantile(values, 0.5)
  const more = (ratios: readonly number[]) => `${((median(ratios) - 1) * 100).toFixed(1)} %`
  return {
    title: `A token, and ${CONSOLES} consoles that follow events live, each every ${FOLLOW_EVERY / 1000} s`,
    rows: [
      {
        'server µs alone': median(found.map(({ alone }) => alone)),
        'server µs with consoles': median(found.map(({ followed }) => followed)),
        more: more(found.map(({ alone, followed, again }) => (2 * followed) / (alone + again))),
        'noise: alone, and alone again': more(
          found.map(({ alone, again }) => Math.max(alone, again) / Math.min(alone, again)),
        ),
      },
    ],
  }
}

function play(client: CallbackClient, client_id: string): Promise<void> {
  function* tokens(): Exchange {
    for (let i = 0; i < TOKENS_AT_A_TIME; i++) {
      const form = { grant_type: 'client_credentials', scope: 'api.read' }
      const { status, body } = yield {
        method: 'POST',
        path: '/oauth2/token',
        headers: basic(client_id),
        form,
      }
      if (status !== 200) throw new Error(`a token has the status ${status}: ${body}`)
    }
  }
  return new Promise((resolve, reject) =>
    client.play(tokens(), (error) => (error ? reject(error) : resolve())),
  )
}
