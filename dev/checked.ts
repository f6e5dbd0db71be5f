import type { CheckApiFlags, CheckClientFlags, Checked, CheckServerFlags } from '../cli/dev/development.ts'
import { checkApi } from './check-api/check-api.ts'
import { API_CHECKS } from './check-api/checks.ts'
import { checkClient } from './check-client/check-client.ts'
import { CLIENT_CHECKS } from './check-client/checks.ts'
import { junitReport } from './report/junit.ts'
import { type CheckReport, type CheckTexts, hasFailed, verdictOf } from './report/report.ts'
import { sarifReport } from './report/sarif.ts'
import { textReport } from './report/text.ts'
import type { Seed } from './seed.ts'
import { readSeed } from './seed-file.ts'

const SCOPES = ['openid', 'profile', 'email', 'offline_access']

/** Checks a relying party. @throws RangeError if a check is not known; ConfigError, Refusal if the server cannot start */
export async function checkClientBy(flags: CheckClientFlags): Promise<Checked> {
  const { client, client_secret, redirect_uri, seed: file, ...options } = flags
  assertKnown(CLIENT_CHECKS, options)
  const seed =
    redirect_uri === undefined ? await readSeed(file) : clientOf(client, client_secret, redirect_uri)
  return formsOf(await checkClient({ ...options, ...(seed !== undefined && { seed }) }))
}

/** Checks an API. @throws RangeError if a check is not known; ConfigError, Refusal if the server cannot start */
export async function checkApiBy({ seed: file, ...options }: CheckApiFlags): Promise<Checked> {
  assertKnown(API_CHECKS, options)
  const seed = await readSeed(file)
  return formsOf(await checkApi({ ...options, ...(seed !== undefined && { seed }) }))
}

/** Returns a seed with one client. */
const clientOf = (client_id = 'web', client_secret: string | undefined, redirect_uri: string): Seed => ({
  clients: [
    {
      client_id,
      ...(client_secret === undefined ? { is_public: true } : { client_secret }),
      redirect_uris: [redirect_uri],
      allowed_scopes: SCOPES,
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
})

function assertKnown(checks: readonly CheckTexts[], { only = [], skip = [] }: CheckServerFlags): void {
  const unknown = [...only, ...skip].find((name) => !checks.some(({ id }) => id === name))
  if (unknown !== undefined)
    throw new RangeError(`There is no check ${unknown}: ${checks.map(({ id }) => id).join(', ')}.`)
}

function formsOf(report: CheckReport): Checked {
  const { url, results, stopped } = report
  return {
    has_failed: hasFailed(report),
    text: textReport(report),
    json: {
      url,
      ...(stopped !== undefined && { stopped }),
      checks: results.map((result) => {
        const { outcome, check } = result
        return {
          id: check.id,
          verdict: verdictOf(result),
          ...(outcome.is === 'found' && { found: outcome.found }),
          ...(outcome.is === 'skipped' && { why: outcome.why }),
        }
      }),
    },
    junit: junitReport(report),
    sarif: sarifReport(report),
  }
}
