// Previews at the console: seen on the page of their original, ended there, and not edited.
import t from 'tap'
import { previewScene, previewUri } from '../../../support/previews.ts'
import { readClient } from '../../../support/records.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('an operator sees which previews are alive, and ends one', async (t) => {
  const { operator, made, storage, trail } = await previewScene(t, { with: ['console'] })
  const one = await made()
  const other = await made({ redirect_uri: previewUri('pr-13') })
  const ada = await operator()
  const shown = await ada.page('/console/applications/shop')
  for (const { client_id, redirect_uri } of [one, other]) {
    t.match(shown.text, `href="/console/applications/${client_id}"`)
    t.match(shown.text, redirect_uri)
  }
  const question = await ada.page(
    `/console/applications/shop/end-preview?${new URLSearchParams({ uri: previewUri() })}`,
  )
  t.equal(question.title, 'End this preview?')
  t.match(question.text, previewUri())
  const after = asPage(await ada.submit(question, {}))
  t.match(after.text, 'The preview ended.')
  t.notMatch(after.text, one.client_id)
  t.match(after.text, other.client_id)
  t.equal(await readClient(storage, one.client_id), undefined)
  const events = (await trail()).map(({ event }) => event)
  t.ok(events.includes('client_removed') && events.includes('preview_made'))
})

t.test(
  'a preview has a page, and nothing to edit; an application without previews says nothing of them',
  async (t) => {
    const { operator, made } = await previewScene(t, { with: ['console'] })
    const { client_id } = await made()
    const ada = await operator()
    const page = await ada.page(`/console/applications/${client_id}`)
    t.match(page.text, 'The Shop (pr-12)')
    t.match(page.text, 'who makes previews of')
    t.notMatch(page.text, `/applications/${client_id}/edit`)
    t.match(page.text, `/applications/${client_id}/remove`)
    t.notMatch((await ada.page('/console/applications/wiki')).text, 'Previews')
    const reader = await operator('ben')
    t.notMatch((await reader.page('/console/applications/shop')).text, 'end-preview', 'who reads ends none')
  },
)
