// What went wrong at third parties: the API, doctor and the start of the console say it, until the party does its part.
import t from 'tap'
import { examineAll } from '../../../../src/admin/doctor/examine.ts'
import { thirdPartyFinding } from '../../../../src/admin/doctor/third-parties.ts'
import { webhookFinding } from '../../../../src/audit/checks.ts'
import { writeCursor } from '../../../../src/audit/webhook-cursor.ts'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { ownPagesFinding } from '../../../../src/own-login/checks.ts'
import { idOf } from '../../../../src/service/finding.ts'
import { OutcomeKeeper } from '../../../../src/service/outcome-keeper.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { adminCalls, createAdministrator } from '../../../support/admin.ts'
import { freePort } from '../../../support/process.ts'
import { comeBy, federate, type Meddle, UPSTREAM } from '../../../support/providers/federation.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const CONSOLE = { admin_api: 'on', console: 'on', keepers: { every: 20 } } as const
const EXPIRED = { party: 'provider', name: 'acme', step: 'token', code: 'CERT_HAS_EXPIRED' }

t.test('an expired certificate of a provider is one line for operators', async (t) => {
  const meddle: { now: Meddle } = { now: async () => undefined }
  const { person, storage, visitor, setFields, ...service } = await federate(t, {}, CONSOLE, meddle)
  await setFields('alice', { linked_subjects: linkOf(UPSTREAM, 'sub-of-alice') })
  await createAdministrator(storage, 'ada', 'redmint:read redmint:write')
  const { call, tokenOf } = adminCalls({ storage, ...service })
  const faults = async () => {
    const { json } = await call('GET', '/server/third-parties', { token: await tokenOf('redmint:read') })
    return (json as { items: unknown[] }).items
  }
  t.strictSame(await faults(), [])
  meddle.now = async (url) => {
    if (url.pathname !== '/oauth2/token') return undefined
    throw Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' })
  }
  asPage(await comeBy(person()))
  await until('it is noted', async () => (await faults()).length > 0)
  t.match(await faults(), [{ ...EXPIRED, is: 'provider', advice: 'redmint provider test acme' }])
  const ada = visitor()
  const home = asPage(await signInOn(ada, await ada.page('/console'), 'ada'))
  t.match(home.text, /Sign-in with [^\n]*acme[^\n]* fails/)
  t.match(
    home.text,
    /Its certificate has expired, at the exchange of the code for tokens.*redmint provider test acme/,
  )
  const { now, settings } = service.redmint
  const { findings } = await examineAll({ storage, settings, guesses_issuer: true, now }, false)
  t.match(
    findings.find(({ id }) => id === idOf('third parties')),
    {
      level: 'warning',
      finding: /^provider acme at token: CERT_HAS_EXPIRED \(/,
      advice: 'Look with redmint provider test acme.',
    },
  )
  meddle.now = async () => undefined
  t.ok('location' in (await comeBy(person())))
  await until('it is over', async () => (await faults()).length === 0)
  t.notMatch((await ada.page('/console')).text, /Sign-in with|certificate has expired/)
})

t.test('doctor names five of them', async (t) => {
  const storage = new MemoryStorage()
  const now = Date.now()
  t.match(await thirdPartyFinding(storage, now), { level: 'ok' })
  const outcomes = new LastOutcomes()
  for (let i = 0; i < 7; i++)
    outcomes.failed({ party: 'client_keys', name: `app ${i}`, step: 'keys', code: 'HTTP_500' }, now - i)
  await new OutcomeKeeper({ storage, outcomes, log: SILENT }).close()
  const { finding, advice } = await thirdPartyFinding(storage, now)
  t.match(finding, /^keys of the client app 0 at keys: HTTP_500 .* and 2 more$/)
  t.match(advice, "redmint client keys show 'app 0'")
})

t.test('doctor asks the pages of an application, and looks at what the webhook took', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}/login?token=hidden`
  t.match(await ownPagesFinding({}), { level: 'ok' })
  const away = await ownPagesFinding({ login_url: nobody })
  t.match(away, { level: 'warning', finding: /^LOGIN_URL does not answer: it did not answer/ })
  t.notMatch(away.finding, 'hidden')
  const storage = new MemoryStorage()
  const settings = { audit: 'on', audit_webhook_url: 'https://audit.example.com' } as const
  t.match(await webhookFinding(storage, { ...settings, audit: 'off' }), { level: 'ok' })
  t.match(await webhookFinding(storage, settings), { level: 'ok' })
  const nowhere = { after: '', upto: '' }
  await writeCursor(storage, { places: { changes: nowhere, repeated: nowhere }, attempts: 3 })
  t.match(await webhookFinding(storage, settings), { level: 'warning', finding: /in 3 attempts$/ })
})
