import { idElsewhere } from '../../src/applications/named-client.ts'
import { TOKEN_EXCHANGE } from '../../src/clients/record/grant-types.ts'
import { resourceKey } from '../../src/core/resource-uri.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { Calls } from '../calls.ts'
import { found } from '../found.ts'
import type { RecordAnswer } from '../from-answer.ts'
import { wordsIn } from './answers.ts'
import { differBySlash } from './document.ts'
import type { AssertionParties } from './parties.ts'

/** What the records of the server that issues identity assertions say: docs/other-servers.md. @throws AdminError */
export async function issuingFindings(
  calls: Calls,
  parties: AssertionParties,
  settings: ReadonlyMap<string, unknown>,
): Promise<Finding[]> {
  const { issuer, resource, client } = parties
  const { ok, problem } = findingsOf('record of the other server')
  const record = await found(calls.call('read_application', { params: { application: issuer } }))
  if (record === undefined) return [await missing(calls, parties)]
  const update = `redmint application update ${issuer}`
  if (record.state !== 'active')
    return [
      problem(`the record of ${issuer} is ${record.state}`, `Mend it: redmint application show ${issuer}`),
    ]
  const findings = [ok(`it issues assertions for ${issuer}`)]
  findings.push(clientFinding(parties, record))
  findings.push(...scopeFindings(parties, record))
  const { ok: fine, problem: lacking } = findingsOf('API in the record')
  const named = wordsIn(record, 'resources')
  findings.push(
    named.some((uri) => resourceKey(uri) === resourceKey(resource))
      ? fine(`an assertion may be for ${resource}`)
      : lacking(
          `no assertion may be for ${resource}${named.length === 0 ? '' : `, only for ${named.join(' ')}`}`,
          `Run ${update} ${[...named, resource].map((uri) => `--resource ${uri}`).join(' ')}`,
        ),
  )
  findings.push(...(await personFindings(calls, parties, record, settings)))
  const { subject_of } = record
  if (typeof subject_of === 'string') findings.push(await subjectFinding(calls, subject_of))
  return client === undefined ? findings : [...findings, await ownClientFinding(calls, client)]
}

async function missing({ call }: Calls, { issuer, resource, scopes, client }: AssertionParties) {
  const { problem } = findingsOf('record of the other server')
  const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`
  const near = await found(call('read_application', { params: { application: other } }))
  if (near !== undefined && differBySlash(other, issuer))
    return problem(
      `there is a record of ${other}, and the other server calls itself ${issuer}: the text is compared`,
      `Run redmint application remove ${other}, and add ${issuer}.`,
    )
  const scope = scopes.length === 0 ? '' : ` --scope "${scopes.join(' ')}"`
  return problem(
    `there is no record of ${issuer}: nobody gets an assertion for it`,
    `Run redmint application add ${issuer} --client ${client ?? '<client_id>'}=<client_id there> --resource ${resource}${scope}`,
  )
}

function clientFinding({ client, issuer }: AssertionParties, record: RecordAnswer): Finding {
  const { ok, warning, problem } = findingsOf('client in the record')
  const entries = wordsIn(record, 'clients')
  const update = `redmint application update ${issuer}`
  if (entries.length === 0)
    return problem(
      'it names no client: none gets an assertion',
      `Run ${update} --client <client_id>=<client_id there>`,
    )
  if (client === undefined)
    return warning(`it names ${entries.join(' ')}`, 'Give --client to have that client looked at.')
  const there = idElsewhere(entries, client)
  return there === undefined
    ? problem(
        `it does not name ${client}, only ${entries.join(' ')}`,
        `Run ${update} ${[...entries, `${client}=<client_id there>`].map((entry) => `--client ${entry}`).join(' ')}`,
      )
    : ok(`${client} may ask, and is ${there} at ${issuer}: the record of ${there} there must exist`)
}

function scopeFindings({ scopes, issuer }: AssertionParties, record: RecordAnswer): Finding[] {
  const { ok, warning } = findingsOf('scopes in the record')
  const allowed = wordsIn(record, 'scopes')
  const lacking = scopes.filter((name) => !allowed.includes(name))
  if (lacking.length === 0) return scopes.length === 0 ? [] : [ok(`assertions may have ${scopes.join(' ')}`)]
  return [
    warning(
      `assertions cannot have ${lacking.join(' ')}, which the MCP server asks for`,
      `Run redmint application update ${issuer} --scope "${[...allowed, ...lacking].join(' ')}"`,
    ),
  ]
}

/** Who may be named to the other server: the groups, and one person if it is given. */
async function personFindings(
  { call }: Calls,
  { issuer, user }: AssertionParties,
  { allowed_groups }: RecordAnswer,
  settings: ReadonlyMap<string, unknown>,
): Promise<Finding[]> {
  const { ok, problem } = findingsOf('groups')
  const allowed = Array.isArray(allowed_groups) ? allowed_groups.map(String) : undefined
  if (allowed?.length === 0)
    return [
      problem(
        'allowed_groups is empty: nobody may be named to it',
        `Run redmint application update ${issuer} --allow-group <name>, or --clear-allow-groups for everybody.`,
      ),
    ]
  if (user === undefined)
    return [
      ok(allowed === undefined ? 'everybody may be named to it' : `members of ${allowed.join(', ')} may`),
    ]
  const record = await found(call('read_user', { params: { username: user } }))
  if (record === undefined) return [problem(`there is no user ${user}`, 'Give the username at this server.')]
  if (record.state !== 'active')
    return [problem(`${user} is ${record.state}`, `Run redmint user show ${user}, and enable or mend it.`)]
  const claims = record.claims as Readonly<Record<string, unknown>> | undefined
  const groups = [claims?.[String(settings.get('groups_claim'))] ?? []].flat().map(String)
  return [
    allowed === undefined || allowed.some((name) => groups.includes(name))
      ? ok(`${user} may be named to it`)
      : problem(
          `${user} is in none of ${allowed.join(', ')}`,
          `Put ${user} in one of them, or add a group of ${user} to allowed_groups.`,
        ),
  ]
}

async function subjectFinding({ call }: Calls, subject_of: string): Promise<Finding> {
  const { ok, problem } = findingsOf('names of people')
  const client = await found(call('read_client', { params: { client_id: subject_of } }))
  return client?.state === 'active'
    ? ok(`people are named as ${subject_of} knows them`)
    : problem(
        `subject_of is ${subject_of}, which is ${client === undefined ? 'no client here' : client.state}: each request gets server_error`,
        'Name the client as which the other server signs its people in here, or clear subject_of.',
      )
}

async function ownClientFinding({ call }: Calls, client_id: string): Promise<Finding> {
  const { ok, problem } = findingsOf('client that asks')
  const client = await found(call('read_client', { params: { client_id } }))
  if (client === undefined)
    return problem(`there is no client ${client_id}`, 'Give the client_id at this server.')
  if (client.state !== 'active')
    return problem(`${client_id} is ${client.state}`, `Run redmint client show ${client_id}`)
  if (client.is_public === true)
    return problem(
      `${client_id} is a public client: it gets unauthorized_client`,
      'Only a client with a secret or keys gets assertions: register one.',
    )
  const grants = wordsIn(client, 'grant_types')
  if (!grants.includes(TOKEN_EXCHANGE))
    return problem(
      `${client_id} may not exchange tokens`,
      `Run redmint client update ${client_id} ${[...grants, TOKEN_EXCHANGE].map((grant) => `--grant-type ${grant}`).join(' ')}`,
    )
  return ok(`${client_id} may exchange tokens`)
}
