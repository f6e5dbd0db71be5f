// Users whose hashes another system made sign in.

import t from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { FOREIGN_HASHES } from '../../../support/foreign-hashes.ts'
import { changeUser, readUser } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('an imported hash signs in, and is replaced by argon2id', async (t) => {
  const storage = new MemoryStorage()
  const { visitor } = await scene(t, { storage, sign_in_failures: 100 })
  const users = FOREIGN_HASHES.map(([, , password_hash], i) => ({ username: `user-${i}`, password_hash }))
  const { redmint } = createCli({ storage, environment: { REDIS_URL: 'redis://127.0.0.1:1' } })
  t.match(await redmint(['user', 'import', '-'], JSON.stringify(users)), { code: 0, stderr: '' })
  t.notMatch((await redmint(['user', 'lint'])).stdout, /password_hash/)
  for (const [i, [of, password, imported]] of FOREIGN_HASHES.entries()) {
    const name = `user-${i}`
    const attempt = async (given: string) => {
      const person = visitor()
      return asPage(await signInOn(person, await person.page(requestUrl()), name, given)).title
    }
    const stored = async () => (await readUser(storage, name))?.password_hash
    t.notMatch(await attempt(`x${password}`), /^Allow /, of)
    t.equal(await stored(), imported, `${of}, which a wrong password leaves`)
    t.match(await attempt(password), /^Allow /, of)
    t.match(await stored(), /^\$argon2id\$v=19\$m=8192,t=1,p=1\$/, of)
    t.match(await attempt(password), /^Allow /, `${of}, with the new hash`)
  }
  const [[, password = '', hash = ''] = []] = FOREIGN_HASHES
  await changeUser(storage, 'user-0', { set: { password_hash: hash, disabled: 'true' }, unset: [] })
  const person = visitor()
  const answer = asPage(await signInOn(person, await person.page(requestUrl()), 'user-0', password))
  t.notMatch(answer.title, /^Allow /, 'a disabled user')
  t.match(await readUser(storage, 'user-0'), { password_hash: hash })
})
