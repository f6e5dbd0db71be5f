// The issuer that servers record, and what the command makes of it.
import t from 'tap'
import { SILENT } from '../../../src/core/log.ts'
import { RecordedIssuer, readRecordedIssuer } from '../../../src/service/recorded-issuer.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../cli/run-cli.ts'
import { spyOn } from '../../support/matrix.ts'

const ISSUER = 'https://auth.example.com'
const ADD = ['client', 'add', 'app', '--for', 'express', '--origin', 'https://app.example.com']

async function record(storage: MemoryStorage, issuer: string) {
  const recorded = new RecordedIssuer({ storage, settings: { issuer }, log: SILENT })
  await recorded.start()
  recorded.close()
}

t.test('the record expires, and a server that starts writes it again', async (t) => {
  let ahead = 0
  const storage = new MemoryStorage({ now: () => Date.now() + ahead })
  await record(storage, 'https://old.example.com')
  await record(storage, ISSUER)
  t.equal(await readRecordedIssuer(storage), ISSUER)
  ahead += 7 * 86_400_000 + 1
  t.equal(await readRecordedIssuer(storage), undefined)
})

t.test('storage that is unavailable does not keep a server from starting', async () => {
  const spy = spyOn(new MemoryStorage())
  spy.fault = new StorageUnavailable('away')
  const recorded = new RecordedIssuer({ storage: spy.storage, settings: { issuer: ISSUER }, log: SILENT })
  await recorded.start()
  recorded.close()
})

t.test('the command takes the recorded issuer, and says that it only guesses', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const guessed = await redmint(ADD)
  t.match(guessed.stdout, /http:\/\/localhost:3000/)
  t.match(
    guessed.stdout,
    /Warning: the issuer in these settings, http:\/\/localhost:3000, is only the default/,
  )

  await record(storage, ISSUER)
  const { code, stdout, stderr } = await redmint(ADD.map((word) => (word === 'app' ? 'app2' : word)))
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, ISSUER)
  t.notMatch(stdout, /localhost:3000|Warning/)
})

t.test('ISSUER in the shell wins, and a difference is said', async (t) => {
  const storage = new MemoryStorage()
  await record(storage, ISSUER)
  for (const name of ['ISSUER', 'REDMINT_ISSUER']) {
    const environment = { REDIS_URL: 'redis://127.0.0.1:1', [name]: 'https://other.example.com' }
    const { redmint } = createCli({ storage, environment })
    const other = await redmint(['client', 'list'])
    t.match(
      other.stderr,
      `Warning: ISSUER is https://other.example.com here, but the servers recorded ${ISSUER}`,
    )
    const json = await redmint(['client', 'list', '--json'])
    t.match(JSON.parse(json.stderr), { warning: /recorded/ })
    t.ok(parsed(json))
    const same = createCli({ storage, environment: { ...environment, [name]: ISSUER } })
    t.equal((await same.redmint(['client', 'list'])).stderr, '')
  }
})
