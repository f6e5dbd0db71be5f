// A device of a pairwise client (OpenID Connect Core §8.1): its user and its session are those of the sector.
import { decodeJwt } from 'jose'
import t from 'tap'
import { sidFor, subjectFor } from '../../../../src/clients/subject.ts'
import { sessionIdOf } from '../../../../src/sessions/browser.ts'
import { useSession } from '../../../../src/sessions/session-store.ts'
import { answerDevice, startWithDevices } from '../../../support/device.ts'
import { changeClient } from '../../../support/records.ts'
import { bearer } from '../../../support/service.ts'

const SALT = { pairwise_salt: 'a salt of the tests' }
const SECTOR = { client_id: 'tv', subject_type: 'pairwise', sector_identifier: 'tv.example' } as const

t.test('it learns the sub and the sid of its sector, and can sign the user out', async (t) => {
  const { storage, visitor, codes, poll, get } = await startWithDevices(t, SALT)
  const { subject_type, sector_identifier } = SECTOR
  const post_logout_redirect_uris = 'https://tv.example/signed-out'
  await changeClient(storage, 'tv', {
    set: { subject_type, sector_identifier, post_logout_redirect_uris },
  })
  const alice = visitor()
  const { device_code, verification_uri_complete } = await codes()
  t.equal((await answerDevice(alice, verification_uri_complete)).title, 'The device is connected')
  const { json } = await poll(device_code)
  const id = sessionIdOf(alice.cookies.get('__Host-redmint-session') ?? '')
  const { sid = '' } = (await useSession(storage, id, 60)) ?? {}
  const sub = subjectFor(SECTOR, 'sub-of-alice', SALT)
  t.match(decodeJwt(String(json.id_token)), { sub, sid: sidFor(SECTOR, sid, SALT) })
  t.match((await get('/userinfo', bearer(String(json.access_token)))).json, { sub, name: 'Alice Example' })
  const left = await alice.page(
    `/oauth2/logout?${new URLSearchParams({ id_token_hint: String(json.id_token) })}`,
  )
  t.equal(left.title, 'You are signed out', 'without a question')
})
