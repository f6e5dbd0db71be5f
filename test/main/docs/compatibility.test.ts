// What users rely on stays: nothing of the list of the last release is missing in that of this code.
import { existsSync } from 'node:fs'
import t from 'tap'
import { INTERFACE } from '../../../scripts/make-release.ts'
import { missingIn, publicInterface } from '../../../scripts/public-interface.ts'
import { codeIn, readText, section, tableRows } from '../../support/markdown.ts'

const list = await publicInterface()

t.test('each part has what is known to be in it', async (t) => {
  for (const [part, line] of [
    ['settings', 'CODE_TTL'],
    ['records', 'client:<client_id>'],
    ['records', 'client redirect_uris'],
    ['records', 'grant status'],
    ['commands', 'client add --redirect-uri'],
    ['commands', 'exit code 3: storage'],
    ['operations', 'create_client request client_name'],
    ['endpoints', 'token: POST /oauth2/token'],
    ['events', 'refresh_token_reused client_id'],
    ['reasons', 'client_unknown'],
    ['errors', 'invalid_grant'],
    ['metrics', 'redmint_ready label check'],
    ['texts', 'messages.login_title'],
    ['style sheet', 'card'],
    ['exports', 'storage openStorage'],
  ] as const) {
    t.ok(list[part].includes(line), `${part}: ${line}`)
  }
})

t.test('docs/compatibility.md has each part', async (t) => {
  const rows = tableRows(section(await readText('docs/compatibility.md'), 'What may change'))
  const named = rows.flatMap(([part = '']) => codeIn(part))
  t.strictSame(named.sort(), Object.keys(list).sort())
})

t.test('a line that is gone is found, one that is new is not', async (t) => {
  const [first = '', ...others] = list.reasons
  t.strictSame(missingIn({ ...list, reasons: others }, list), [`reasons: ${first}`])
  t.strictSame(missingIn(list, { ...list, reasons: others }), [])
  t.strictSame(missingIn(list, { unknown: ['line'] }), ['unknown: line'])
})

t.test('nothing of the last release is gone', async (t) => {
  const released = existsSync(INTERFACE) ? JSON.parse(await readText(INTERFACE)) : {}
  t.strictSame(missingIn(list, released), [])
})

t.test('keys of tenants are free: no key begins with @', async (t) => {
  t.strictSame(
    list.records.filter((line) => line.startsWith('@')),
    [],
  )
})
