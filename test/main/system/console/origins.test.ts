// Where an application and a person come from, and where an operator changes them.
import t from 'tap'
import { changeClient, changeUser } from '../../../support/records.ts'
import { tokenOfPage } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'

t.test('the list and the page say where an application comes from', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const row = async (id: string) => {
    const { text } = await ada.page(`/console/applications?q=${encodeURIComponent(id)}`)
    return /data-label="Made by">(.*?)<\/td>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')
  }
  const page = async (id: string) => {
    const { text } = await ada.page(`/console/applications/${encodeURIComponent(id)}`)
    return /<dt>Managed by<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')
  }
  t.equal(await row('web'), 'an operator')
  t.equal(await page('web'), undefined)
  await changeClient(storage, 'web', { set: { managed_by: 'shop-team' } })
  t.equal(await row('web'), 'the file shop-team')
  t.equal(await page('web'), 'the file shop-team: change it there')
  await changeClient(storage, 'web', { set: { undeclared: 'true' } })
  t.match(await page('web'), /^the file shop-team, which does not have it any more: redmint apply --prune/)
  await changeClient(storage, 'service', { set: { registered_at: new Date().toISOString() } })
  t.equal(await row('service'), 'registered itself')
  const described = 'https://app.example.org/client.json'
  const csrf = tokenOfPage(await ada.page('/console'))
  await ada.post(`/console/applications/${encodeURIComponent(described)}/disable`, { csrf })
  t.equal(await row(described), 'describes itself by a document')
  await changeUser(storage, 'alice', { set: { managed_by: 'people' } })
  t.match((await ada.page('/console/people/alice')).text, /file <bdi>people<\/bdi>: change it there/)
})
