import { AUDIT_CHECKS } from '../../audit/checks.ts'
import { DIRECTORY_CHECKS } from '../../directory/checks.ts'
import { MAIL_CHECKS } from '../../mail/checks.ts'
import { OWN_LOGIN_CHECKS } from '../../own-login/checks.ts'
import type { DoctorCheck, ExaminedInstallation } from '../../service/check.ts'
import { type Finding, idOf, readable } from '../../service/finding.ts'
import { administratorFinding } from './administrators.ts'
import { clockFindings } from './clocks.ts'
import { growthFindings } from './growth.ts'
import { issuerFindings } from './issuer.ts'
import { keyFindings, startFindings, tokenFinding } from './keys.ts'
import { lockoutFindings } from './lockouts.ts'
import { logoutFindings } from './logouts.ts'
import { RECORD_CHECKS, recordFindings } from './records.ts'
import { REDIS_CHECKS, redisFindings } from './redis.ts'
import { nodeFinding, serverFindings } from './servers.ts'
import { streamFindings } from './streams.ts'
import { thirdPartyFinding } from './third-parties.ts'

/** All checks, in the order of the report. */
const CHECKS: readonly DoctorCheck[] = [
  {
    names: [...REDIS_CHECKS, 'memory growth'],
    async lookAt({ storage, now }, servers) {
      const found = servers.map(async (server) => [
        ...redisFindings(server, storage.fails_over ?? false, now()),
        ...(await readable(() => growthFindings(storage, server, now()), 'memory growth', server.name)),
      ])
      return (await Promise.all(found)).flat()
    },
  },
  {
    names: ['issuer', 'issuer TLS', 'issuer headers', 'metrics', 'forwarded headers', 'issuer metadata'],
    outside: true,
    look: (examined) => readable(() => issuerFindings(examined), 'forwarded headers'),
  },
  {
    names: ['administrators'],
    look: (examined) => readable(async () => [await administratorFinding(examined)], 'administrators'),
  },
  { names: ['servers'], look: ({ storage }) => readable(() => serverFindings(storage), 'servers') },
  { names: ['Node'], look: async () => [nodeFinding()] },
  {
    names: ['clocks of servers'],
    look: ({ storage }) => readable(() => clockFindings(storage), 'clocks of servers'),
  },
  {
    names: ['signing keys', 'keys at rest'],
    look: ({ storage, settings, now }) => keyFindings(storage, settings, now()),
  },
  {
    names: ['sealing keys', 'restore mark'],
    look: ({ storage, settings }) => startFindings(storage, settings),
  },
  { names: ['tokens at rest'], look: async ({ storage }) => [tokenFinding(storage)] },
  {
    names: RECORD_CHECKS,
    reads_all: true,
    look: ({ storage, settings, now }) => recordFindings(storage, settings, now()),
  },
  ...AUDIT_CHECKS,
  ...MAIL_CHECKS,
  ...DIRECTORY_CHECKS,
  ...OWN_LOGIN_CHECKS,
  {
    names: ['third parties'],
    look: ({ storage, now }) =>
      readable(async () => [await thirdPartyFinding(storage, now())], 'third parties'),
  },
  {
    names: ['logout notices'],
    look: ({ storage }) => readable(() => logoutFindings(storage), 'logout notices'),
  },
  {
    names: ['receivers of signals'],
    look: ({ storage, settings, now }) =>
      readable(() => streamFindings(storage, settings, now()), 'receivers of signals'),
  },
  { names: ['lockouts'], look: ({ storage }) => readable(() => lockoutFindings(storage), 'lockouts') },
]

/** The names of all checks. */
export const CHECK_NAMES: readonly string[] = CHECKS.flatMap(({ names }) => names)

/** What was found, and what was not looked at. */
export interface Examination {
  readonly findings: Finding[]
  /** The ids of the checks that read all records of a kind. */
  readonly left_out: string[]
}

/**
 * Examines an installation: its Redis, its issuer, its servers, its records. It writes three keys, which expire.
 * @param reads_all whether all records are read, too, however many there are
 * @param more the checks of rooms of an application
 * @throws StorageUnavailable if storage cannot be used
 */
export async function examineAll(
  examined: ExaminedInstallation,
  reads_all: boolean,
  more: readonly DoctorCheck[] = [],
): Promise<Examination> {
  const { storage, now } = examined
  const wanted = [...CHECKS, ...more].filter((check) => reads_all || check.reads_all !== true)
  const found = new Map<DoctorCheck, Finding[]>()
  // The records first: they tell best why Redis cannot be used. One by one, as an answer that is read late has failed.
  for (const one of wanted) if (one.look && !one.outside) found.set(one, await one.look(examined))
  const servers = (await storage.examine?.(now)) ?? []
  for (const one of wanted) if (one.lookAt) found.set(one, await one.lookAt(examined, servers))
  const outside = wanted.filter((one) => one.outside)
  await Promise.all(outside.map(async (one) => found.set(one, (await one.look?.(examined)) ?? [])))
  return {
    findings: wanted.flatMap((one) => found.get(one) ?? []),
    left_out: CHECKS.filter((check) => !wanted.includes(check)).flatMap(({ names }) => names.map(idOf)),
  }
}
