import { disagreementText } from '../../src/admin/doctor/servers.ts'
import type { Calls } from '../calls.ts'
import { findingRows } from '../doctor/report.ts'
import { listed, pairs, type Report } from '../output.ts'
import { when } from '../when.ts'

/** The command `server`. */
export async function showServers({ call, host, now }: Calls): Promise<Report> {
  const { servers, disagreements, storage, redis, ...answer } = await call('read_server')
  const issuer = host?.guesses_issuer ? undefined : answer.issuer
  const rows = servers.map(({ host, version, workers, started_at, seen_at, settings_digest }) => [
    host,
    version,
    String(workers),
    when(started_at, now),
    when(seen_at, now),
    settings_digest,
  ])
  const head = ['HOST', 'VERSION', 'WORKERS', 'STARTED', 'SEEN', 'SETTINGS']
  const parts = [
    pairs([
      ['issuer', issuer ?? 'not known: set ISSUER, or start a server'],
      ['storage', storage],
    ]),
    listed(head, rows, { none: 'No server runs.', noun: 'server' }),
    ...disagreements.map((one) => `Warning: the servers disagree about ${disagreementText(one)}.`),
    ...(redis.length === 0 ? [] : [findingRows(redis)]),
  ]
  return {
    text: parts.join('\n\n'),
    json: { issuer, storage, servers, disagreements, redis },
  }
}
