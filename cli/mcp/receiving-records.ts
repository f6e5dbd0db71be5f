import { JWT_BEARER } from '../../src/clients/record/grant-types.ts'
import { IDENTITY_ASSERTION_TTL } from '../../src/core/token-types.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { Calls } from '../calls.ts'
import { found } from '../found.ts'
import type { RecordAnswer } from '../from-answer.ts'
import { wordsIn } from './answers.ts'
import type { AssertionParties } from './parties.ts'

/** What the records of the server that takes identity assertions say: docs/trusted-issuers.md. @throws AdminError */
export async function receivingFindings(
  calls: Calls,
  parties: AssertionParties,
  settings: ReadonlyMap<string, unknown>,
): Promise<Finding[]> {
  const { ok, problem } = findingsOf('trusted issuers')
  const findings = [
    settings.get('trusted_issuers') === true
      ? ok('TRUSTED_ISSUERS is true')
      : problem(
          'TRUSTED_ISSUERS is not true: every assertion is refused',
          'Set TRUSTED_ISSUERS=true, and restart.',
        ),
    ...(await issuerFindings(calls, parties)),
    await apiFinding(calls, parties),
  ]
  if (parties.client !== undefined) findings.push(...(await clientFindings(calls, parties, parties.client)))
  return findings
}

async function issuerFindings(calls: Calls, parties: AssertionParties): Promise<Finding[]> {
  const { assertions_from: url, scopes, issuer } = parties
  const { ok, problem, warning } = findingsOf('record of the trusted issuer')
  const record = await found(calls.call('read_issuer', { params: { issuer: url } }))
  if (record === undefined) {
    const scope = scopes.length === 0 ? '' : ` --scope "${scopes.join(' ')}"`
    return [
      problem(
        `there is no record of ${url}: its assertions are refused`,
        `Run redmint issuer add ${url} --profile id-jag${scope}`,
      ),
    ]
  }
  const update = `redmint issuer update ${url}`
  if (record.state !== 'active')
    return [problem(`the record of ${url} is ${record.state}`, `Mend it: redmint issuer show ${url}`)]
  if (record.profile !== 'id-jag')
    return [
      problem(
        `its profile is ${record.profile ?? 'workload'}: it vouches for programs, and not for people`,
        `Run ${update} --profile id-jag`,
      ),
    ]
  const findings = [ok(`people whom ${url} vouches for get in`)]
  const { audience, max_lifetime = 300, account_by = 'subject' } = record
  if (typeof audience === 'string' && audience !== issuer)
    findings.push(
      problem(
        `it wants the audience ${audience}, and identity assertions are for ${issuer}`,
        `Run ${update} --clear-audience`,
      ),
    )
  if (Number(max_lifetime) < IDENTITY_ASSERTION_TTL)
    findings.push(
      warning(
        `it takes assertions of ${max_lifetime} seconds at most; those of redmint live ${IDENTITY_ASSERTION_TTL}`,
        `Run ${update} --max-lifetime ${IDENTITY_ASSERTION_TTL}`,
      ),
    )
  const allowed = wordsIn(record, 'scopes')
  const lacking = allowed.length === 0 ? [] : scopes.filter((name) => !allowed.includes(name))
  if (lacking.length > 0)
    findings.push(
      problem(
        `its people cannot be granted ${lacking.join(' ')}, which the MCP server asks for`,
        `Run ${update} --scope "${[...allowed, ...lacking].join(' ')}"`,
      ),
    )
  return [...findings, await personFinding(calls, parties, account_by)]
}

/** By which account the person of an assertion gets in. */
async function personFinding(
  { call }: Calls,
  { assertions_from: url, user }: AssertionParties,
  account_by: unknown,
): Promise<Finding> {
  const { ok, problem } = findingsOf('account of the person')
  const by_email = account_by === 'verified_email'
  if (user === undefined)
    return ok(
      by_email
        ? 'it is found by the verified e-mail address'
        : `it is the one that is linked to the sub at ${url}: give --user to have one looked at`,
    )
  const record: RecordAnswer | undefined = await found(call('read_user', { params: { username: user } }))
  if (record === undefined) return problem(`there is no user ${user}`, 'Give the username at this server.')
  const claims = record.claims as Readonly<Record<string, unknown>> | undefined
  const link = wordsIn(record, 'linked_subjects').find((one) => one.startsWith(`${url}#`))
  if (by_email)
    return claims?.email !== undefined && claims.email_verified === true
      ? ok(`${user} is found by ${claims.email}`)
      : problem(
          `${user} has no verified address, by which people of ${url} are found`,
          'Let the person confirm an address, or set account_by to subject and link the account.',
        )
  return link !== undefined
    ? ok(`${user} is ${link.slice(url.length + 1)} at ${url}`)
    : problem(
        `${user} is linked to nobody at ${url}`,
        `Run redmint user update ${user} ${[...wordsIn(record, 'linked_subjects'), `${url}#<sub there>`].map((one) => `--linked-subject ${one}`).join(' ')}`,
      )
}

async function apiFinding({ call }: Calls, { resource, scopes }: AssertionParties): Promise<Finding> {
  const { ok, problem } = findingsOf('record of the API')
  const record = await found(call('read_resource', { params: { resource } }))
  const scope = scopes.length === 0 ? '' : ` --scope "${scopes.join(' ')}"`
  if (record === undefined)
    return problem(`there is no API ${resource}`, `Run redmint resource add ${resource}${scope}`)
  if (record.state !== 'active')
    return problem(`the record of ${resource} is ${record.state}`, `Run redmint resource show ${resource}`)
  const lacking = scopes.filter((name) => !wordsIn(record, 'scopes').includes(name))
  return lacking.length === 0
    ? ok(`${resource} has the scopes that the MCP server asks for`)
    : problem(
        `${resource} lacks ${lacking.join(' ')}`,
        `Run redmint resource update ${resource} --scope "${[...wordsIn(record, 'scopes'), ...lacking].join(' ')}"`,
      )
}

async function clientFindings(
  { call }: Calls,
  { scopes }: AssertionParties,
  client_id: string,
): Promise<Finding[]> {
  const { ok, problem } = findingsOf('client that shows it')
  const client = await found(call('read_client', { params: { client_id } }))
  if (client === undefined)
    return [
      problem(`there is no client ${client_id}`, 'Give the client_id at this server, as assertions name it.'),
    ]
  if (client.state !== 'active')
    return [problem(`${client_id} is ${client.state}`, `Run redmint client show ${client_id}`)]
  const findings: Finding[] = []
  const grants = wordsIn(client, 'grant_types')
  if (client.is_public === true)
    findings.push(
      problem(`${client_id} is a public client`, 'Only a client with a secret or keys may show assertions.'),
    )
  if (!grants.includes(JWT_BEARER))
    findings.push(
      problem(
        `${client_id} may not show assertions`,
        `Run redmint client update ${client_id} ${[...grants, JWT_BEARER].map((grant) => `--grant-type ${grant}`).join(' ')}`,
      ),
    )
  const lacking = scopes.filter((name) => !wordsIn(client, 'allowed_scopes').includes(name))
  if (lacking.length > 0)
    findings.push(
      problem(
        `${client_id} may not obtain ${lacking.join(' ')}`,
        `Run redmint client update ${client_id} --scope "${[...wordsIn(client, 'allowed_scopes'), ...lacking].join(' ')}"`,
      ),
    )
  return findings.length === 0 ? [ok(`${client_id} may show assertions`)] : findings
}
