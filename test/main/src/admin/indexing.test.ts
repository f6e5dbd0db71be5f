// A list says that it may lack records, until servers have looked at all of them.
import t from 'tap'
import { FITTED, noteFitted } from '../../../../src/storage/indexes.ts'
import { startAtServer } from '../../../support/cli/remote/at-server.ts'
import { parsed } from '../../../support/cli/run-cli.ts'
import { scene } from '../../../support/scene.ts'

t.test('the admin API, the command and the console say so', async (t) => {
  const { storage, issuer, elsewhere, tokenOf, request } = await startAtServer(t)
  const token = await tokenOf('redmint:read')
  const redmint = elsewhere({ REDMINT_TOKEN: token })
  const list = async (noun: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await request({ url: `/admin/v1/${noun}`, headers })).json
  }
  const NOUNS = ['users', 'clients', 'resources', 'providers', 'users?limit=1']
  for (const noun of NOUNS) t.equal((await list(noun)).indexing, undefined, noun)
  await storage.records.take(FITTED, 'fitted')
  for (const noun of NOUNS) t.equal((await list(noun)).indexing, true, noun)
  for (const noun of ['user', 'client']) {
    const args = [noun, 'list', '--server', issuer]
    t.match(await redmint(args), { code: 0, stdout: new RegExp(`whole .* after redmint ${noun} reindex`) })
    t.match(parsed(await redmint([...args, '--json'])), { indexing: true })
  }
  await noteFitted(storage, Date.now())
  t.notMatch((await redmint(['user', 'list', '--server', issuer])).stdout, /reindex/)

  const { operator, storage: theirs } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const saysSo = async (path: string) => /have not looked at all records/.test((await ada.page(path)).text)
  for (const path of ['/console/people', '/console/applications']) {
    await noteFitted(theirs, Date.now())
    t.notOk(await saysSo(path), path)
    await theirs.records.take(FITTED, 'fitted')
    t.ok(await saysSo(path), path)
  }
})
