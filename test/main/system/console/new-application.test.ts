// A new application: whom it is for, whether a redirect URI is accepted, and what is typed where an application is asked for.
import t from 'tap'
import { PEOPLE_UPKEEP } from '../../../../src/admin/upkeep/upkeep-record.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { write } from '../../../../src/storage/records.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { changeClient, readClient } from '../../../support/records.ts'
import { fieldsOf } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const NEW = '/console/applications/new?for=web'
const TYPED = { kind: 'web', client_name: 'Bazaar', redirect_uris: 'https://bazaar.example/cb' }
const COUNTED = {
  ...{ at: '2026-11-29T00:00:00.000Z', people: 503, disabled: 2, linked: {}, is_cut: false },
  groups: [
    { group: 'staff', members: 480 },
    { group: 'finance', members: 41 },
    { group: 'board', members: 1 },
  ],
}

t.test('cards say how many people each is about, and groups are chosen with their card', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await storage.records.put(write(PEOPLE_UPKEEP, 'people', COUNTED, 3600))
  const ada = await operator()
  const form = await ada.page(NEW)
  t.match(form.text, '503 people, and that is meant')
  const send = async (more: Record<string, string>) =>
    asPage(await ada.submit(await ada.page(NEW), { ...TYPED, ...more }))
  const unsaid = await send({ who: 'unsaid', 'allowed_groups[]': 'finance' })
  t.match(unsaid, { status: 422 })
  t.match(unsaid.text, 'You chose groups', 'else everybody would get in')
  t.match(unsaid.text, 'value="finance" checked', 'what was ticked stays')
  t.match((await send({ who: 'groups' })).text, 'Choose the groups that may use it')
  t.match(await send({ who: 'groups', 'allowed_groups[]': 'finance' }), { status: 200 })
  t.match(await readClient(storage, 'bazaar'), { allowed_groups: 'finance' })
  t.match((await ada.page('/console/applications/bazaar/edit')).text, '1 group, 41 people')
  await changeClient(storage, 'bazaar', { set: { allowed_groups: 'finance staff' } })
  t.match((await ada.page('/console/applications/bazaar/edit')).text, '2 groups, at most 521 people')
  await changeClient(storage, 'bazaar', { set: { allowed_groups: 'unheard-of' } })
  t.match((await ada.page('/console/applications/bazaar/edit')).text, '<small>1 group</small>')
})

t.test('a redirect URI is tried before anything is registered, by any button', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page(NEW)
  const enter = form.text.indexOf('<button class="read-only"')
  t.ok(enter > 0 && enter < form.text.indexOf('name="check"'), 'Enter in a field does not press Check it')
  const asked = asPage(await ada.submit(form, { ...TYPED, uri: 'https://bazaar.example/CB', tested: '' }))
  t.match(asked.text, 'Upper and lower case differ.')
  t.match(fieldsOf(asked), { client_name: 'Bazaar', redirect_uris: TYPED.redirect_uris })
  t.equal(await readClient(storage, 'bazaar'), undefined)
  const go_on = { ...TYPED, uri: 'https://bazaar.example/CB' }
  t.match(asPage(await ada.submit(asked, go_on)), { title: 'Bazaar is ready to connect' })

  const edit = await ada.page('/console/applications/bazaar/edit')
  const fields = {
    ...fieldsOf(edit),
    client_name: 'Bazaar 2',
    uri: 'https://bazaar.example/cb',
    check: 'uri',
  }
  const checked = asPage(await ada.submit(edit, fields))
  t.match(checked.text, 'is registered')
  t.match(fieldsOf(checked), { client_name: 'Bazaar 2' }, 'what was typed stays')
  const { check: _, ...typed } = fields
  t.match(asPage(await ada.submit(checked, typed)), { title: 'Save this change to Bazaar?' })

  const express = await ada.page('/console/applications/new?for=express')
  const origin = { kind: 'express', client_name: 'Emporium', origin: 'https://shop.example' }
  const follows = asPage(await ada.submit(express, { ...origin, uri: 'https://shop.example/callback' }))
  t.match(follows.text, 'is registered', 'one that follows from where it runs counts')
  t.match(follows.text, '<details class="more" open>')
  const made = asPage(await ada.submit(follows, { ...origin, uri: 'https://shop.example/callback' }))
  t.match(made.text, '>1. Install</h2>')
})

t.test('an API that acts is named in its record, which is made if there is none', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'carl', 'redmint:clients:write redmint:clients:read')
  const url = '/console/applications/new?for=acting-api'
  const api = 'https://orders.example'
  const typed = { kind: 'acting-api', client_name: 'Orders', origin: api, allowed_scopes: 'invoices.read' }
  const carl = await operator('carl')
  t.notMatch(asPage(await carl.submit(await carl.page(url), typed)), { title: /ready to connect/ })
  t.equal(await readClient(storage, 'orders'), undefined, 'nothing is made without the right to change APIs')
  const ada = await operator()
  const send = async (more: Record<string, string> = {}) =>
    asPage(await ada.submit(await ada.page(url), { ...typed, ...more }))
  t.match((await send({ origin: '' })).text, 'Say where the API is')
  t.match((await send({ allowed_scopes: '' })).text, 'Say what its tokens may be for')
  const made = await send()
  t.match(made, { title: 'Orders is ready to connect' })
  t.match(made.text, 'genericGrantRequest')
  t.match(await readClient(storage, 'orders'), { exchange_mode: 'delegate', allowed_scopes: 'invoices.read' })
  const record = async () => (await storage.records.read(RESOURCE, api))?.hash
  t.match(await record(), { acting_clients: 'orders', scopes: 'invoices.read' })
  t.match(await send({ client_name: 'Second' }), { title: 'Second is ready to connect' })
  t.match(await record(), { acting_clients: 'orders second', scopes: 'invoices.read' })
})

t.test('an application is chosen where one is asked for', async (t) => {
  const { operator, storage } = await scene(t, {
    with: ['console'],
    clients: [{ ...CLIENTS.web, client_id: 'portal', client_uri: 'https://portal.example' }],
  })
  const ada = await operator()
  const options = async () =>
    [
      ...(
        /<select id="f-client"[\s\S]*?<\/select>/.exec(
          (await ada.page('/console/invitations/new')).text,
        )?.[0] ?? ''
      ).matchAll(/value="([^"]*)"/g),
    ].map(([, value]) => value)
  t.same(await options(), ['', 'portal'], 'nobody is led to one without an address')
  await changeClient(storage, 'web', { set: { initiate_login_uri: 'https://app.example.com/login' } })
  t.same(await options(), ['', 'portal', 'web'])
  // No list has one that describes itself by a document, so it is typed.
  const what_if = await ada.page('/console/explain/what-if?client_id=https://tool.example.net/client.json')
  t.match(what_if.text, 'list="known-client_id"')
  t.match(what_if.text, '<option value="portal">')
})
