// Devices without a browser, and people who answer them.

import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { DEVICE } from '../../src/tokens/device-record.ts'
import { allowedFields, waitingIdOf } from '../../src/tokens/waiting-code.ts'
import { RELYING_PARTIES } from './accounts.ts'
import { createClient } from './records.ts'
import { pathOf, signInOn } from './scene/requests.ts'
import { type Given, scene } from './scene.ts'
import { type Answer, basic, CLIENTS, type Service } from './service.ts'
import { asPage, type Page, type Visitor } from './visitor.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Clients of devices: a public one and one with a secret. */
export const DEVICES = {
  tv: {
    ...CLIENTS.app,
    client_id: 'tv',
    client_name: 'Living room',
    redirect_uris: [],
    allowed_scopes: RELYING_PARTIES.shop.allowed_scopes,
    grant_types: [DEVICE_GRANT],
  },
  printer: {
    ...CLIENTS.web,
    client_id: 'printer',
    client_name: 'Printer',
    redirect_uris: [],
    grant_types: [DEVICE_GRANT],
  },
} satisfies Record<string, ClientDefinition>

export async function storeDevices(storage: RecordStore): Promise<void> {
  for (const client of Object.values(DEVICES)) {
    await createClient(storage, client.client_id, formatClient(client))
  }
}

/** The codes that a device gets. */
export interface DeviceCodes {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

/** The requests of the device `tv` to a service; parameters can be other ones. */
export function deviceOf({ post, token }: Pick<Service, 'post' | 'token'>) {
  const ask = (form: Record<string, string> = {}, headers = {}): Promise<Answer> =>
    post('/oauth2/device_authorization', { client_id: 'tv', scope: 'openid profile', ...form }, headers)
  return {
    ask,
    /** The codes of a new device. */
    async codes(form: Record<string, string> = {}): Promise<DeviceCodes> {
      const { status, json, text } = await ask(form)
      if (status !== 200) throw new Error(`no device code: ${text}`)
      return json as unknown as DeviceCodes
    },
    poll: (device_code: string, form: Record<string, string> = {}, headers = {}): Promise<Answer> =>
      token({ grant_type: DEVICE_GRANT, client_id: 'tv', device_code, ...form }, headers),
    /** The device `printer`, which has a secret. */
    printer: {
      ask: () => post('/oauth2/device_authorization', {}, basic('printer')),
      poll: (device_code: string) => token({ grant_type: DEVICE_GRANT, device_code }, basic('printer')),
    },
  }
}

/** Allows a device as alice does, without a page. */
export async function allowDevice({ records }: RecordStore, device_code: string): Promise<void> {
  const alice = { subject: 'alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
  const set = allowedFields(alice, 'openid api.read')
  const changed = await records.change(DEVICE, waitingIdOf(device_code) ?? '', { set })
  if (changed !== 'ok') throw new Error('there is no such device')
}

/** A service with people, devices and their clients. */
export async function startWithDevices(t: Test, { clients = [], ...more }: Given = {}) {
  const service = await scene(t, { clients: [...Object.values(DEVICES), ...clients], ...more })
  return { ...service, ...deviceOf(service) }
}

/** Opens the address that a device shows, and signs in if that is asked. Returns the page that is then shown. */
export async function openDevice(
  visitor: Visitor,
  uri: string,
  username = 'alice',
  password?: string,
): Promise<Page> {
  const page = await visitor.page(pathOf(uri))
  return page.title.startsWith('Sign in') ? asPage(await signInOn(visitor, page, username, password)) : page
}

/** Opens the address, signs in, types the code where that is asked, and answers. Returns the page of the result. */
export async function answerDevice(
  visitor: Visitor,
  uri: string,
  decision: 'allow' | 'deny' = 'allow',
  username = 'alice',
): Promise<Page> {
  const page = await openDevice(visitor, uri, username)
  const user_code = new URL(uri).searchParams.get('user_code') ?? ''
  return asPage(
    await visitor.submit(page, { decision, ...(page.text.includes('name="user_code"') && { user_code }) }),
  )
}
