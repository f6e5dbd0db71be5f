// Checks the tables of user fields and claims against every command that uses them.

import t, { type Test } from 'tap'
import type { FieldTable } from '../../../src/core/field-table.ts'
import { isStandardClaim, STANDARD_CLAIMS } from '../../../src/users/standard-claims.ts'
import { USER_FIELDS } from '../../../src/users/user-fields.ts'
import { parseUser } from '../../../src/users/user-record.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { jsonOf, sampleOf } from '../../support/fields.ts'
import { readText, section } from '../../support/markdown.ts'
import { readUser } from '../../support/records.ts'

const TABLE: FieldTable = USER_FIELDS
const CLAIMS = Object.keys(STANDARD_CLAIMS).filter(isStandardClaim)
const SAMPLES = ['word', 'https://a.example/x', 'a@a.example', '1999', true, 60, { locality: 'Berlin' }]

t.test('docs/cli.md has every claim that is not a text', async (t) => {
  const chapter = section(await readText('docs/cli.md'), 'Users')
  const typed = CLAIMS.filter((name) => STANDARD_CLAIMS[name].type !== 'string')
  for (const name of typed) t.ok(chapter.includes(`\`${name}\``), name)
})

/** Returns the output of show for an imported user, as text and as JSON. */
async function shown(t: Test, user: object) {
  const { storage, redmint } = createCli()
  t.match(await redmint(['user', 'import', '-'], JSON.stringify([user])), { code: 0, stderr: '' })
  const { stdout: words } = await redmint(['user', 'show', 'u'])
  const { stdout: json } = await redmint(['user', 'show', 'u', '--json'])
  return { hash: (await readUser(storage, 'u')) ?? {}, words, json }
}

t.test('import takes every field; the parser and show have it', async (t) => {
  const base = { username: 'u', sub: 's' }
  const before = await shown(t, base)
  for (const [name, field] of Object.entries(TABLE)) {
    // Nobody gets rights from a list.
    if (name === 'admin') continue
    const sample = sampleOf(field)
    for (const value of jsonOf(field, sample)) {
      const { hash, words, json } = await shown(t, { ...base, [name]: value })
      t.equal(hash[name], sample, name)
      const user = parseUser('u', hash)
      t.ok(user.ok && Object.hasOwn(user.record, name), `${name} is part of the user`)
      t.not(words, before.words, `show shows ${name}`)
      t.not(json, before.json, `show --json shows ${name}`)
    }
  }
})

t.test('a claim of every name can be imported, set, shown and removed', async (t) => {
  for (const name of CLAIMS) {
    const value = SAMPLES.find((sample) => 'text' in STANDARD_CLAIMS[name].fromJson(sample))
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const { storage, redmint } = createCli()
    const entries = [{ username: 'u', claims: { [name]: value } }]
    t.match(await redmint(['user', 'import', '-'], JSON.stringify(entries)), { code: 0, stderr: '' }, name)
    t.match(await redmint(['user', 'add', 'v', '--claim', `${name}=${text}`]), { code: 0 }, name)
    for (const username of ['u', 'v']) {
      t.equal((await readUser(storage, username))?.[name], text, `${name} of ${username}`)
      const { stdout } = await redmint(['user', 'show', username])
      t.ok(
        stdout.split('\n').some((line) => line.startsWith(`${name} `) && line.endsWith(` ${text}`)),
        name,
      )
    }
    t.match(await redmint(['user', 'update', 'u', '--remove-claim', name]), { code: 0 })
    t.notOk(Object.hasOwn((await readUser(storage, 'u')) ?? {}, name))
    const again = await redmint(['user', 'update', 'u', '--remove-claim', name])
    t.match(again, { code: 0, stdout: /^Nothing is changed: the record has these values already\.\n/ })
  }
})
