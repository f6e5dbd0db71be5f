import { findDisagreements, groupServers } from '../../src/admin/servers.ts'
import { instant } from '../../src/core/instant.ts'
import { readServers } from '../../src/service/running-server.ts'
import { redisFindingsOf } from '../doctor/examine.ts'
import { findingRows } from '../doctor/report.ts'
import { disagreementText } from '../doctor/servers.ts'
import { pairs, type Report, table } from '../output.ts'
import type { CommandContext } from '../run.ts'

/**
 * The command `server`.
 * @throws StorageUnavailable
 */
export async function showServers(context: CommandContext): Promise<Report> {
  const { storage, config, guesses_issuer, now } = context
  const processes = await readServers(storage)
  const servers = groupServers(processes)
  const disagreements = findDisagreements(processes)
  const redis = await redisFindingsOf(config, now)
  const issuer = guesses_issuer ? undefined : config.settings.issuer
  const rows = servers.map(({ host, version, workers, started_at, seen_at, settings_digest }) => [
    host,
    version,
    String(workers),
    instant(new Date(started_at), now),
    instant(new Date(seen_at), now),
    settings_digest,
  ])
  const head = ['HOST', 'VERSION', 'WORKERS', 'STARTED', 'SEEN', 'SETTINGS']
  const parts = [
    pairs([
      ['issuer', issuer ?? 'not known: set ISSUER, or start a server'],
      ['storage', storage.description],
    ]),
    servers.length === 0 ? 'No server runs.' : table(head, rows),
    ...disagreements.map((one) => `Warning: the servers disagree about ${disagreementText(one)}.`),
    ...(redis.length === 0 ? [] : [findingRows(redis)]),
  ]
  return {
    text: parts.join('\n\n'),
    json: { issuer, storage: storage.description, servers, disagreements, redis },
  }
}
