// A shop with a host for its previews, and a CI job that makes them.
import type { Test } from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { PREVIEWS } from '../../src/core/admin-scopes.ts'
import { ADMIN } from './admin.ts'
import { changeClient, createClient } from './records.ts'
import { requestUrl, signInOn } from './scene/requests.ts'
import { type Given, scene } from './scene.ts'
import { basic, CLIENTS, codeRequest } from './service.ts'
import { asDeparture, asPage, type Departure, type Visitor } from './visitor.ts'

/** Where the previews of the shop lie. */
export const previewUri = (label = 'pr-12') => `https://${label}.preview.example.com/callback`

/** What the record of the shop says of its previews. */
const SHOP_PREVIEWS = { preview_hosts: 'preview.example.com', preview_makers: 'ci' }

/** What an answer says of a preview. */
export interface Made {
  readonly client_id: string
  readonly lapses_at: string
  readonly scope: string
  readonly renewed: boolean
  readonly redirect_uri: string
}

/** Starts a service with a clock to move, the shop, and the client of a CI job that may do nothing but make previews. */
export async function previewScene(t: Test, given: Given = {}) {
  const stage = await scene(t, { admin_api: 'on', ...given })
  const { storage, call, token } = stage
  await changeClient(storage, 'shop', { set: SHOP_PREVIEWS })
  const ci = { ...CLIENTS.service, client_id: 'ci', allowed_scopes: [PREVIEWS] }
  await createClient(storage, 'ci', formatClient(ci))
  const newToken = async () => {
    const form = { grant_type: 'client_credentials', resource: ADMIN }
    return String((await token(form, basic('ci'))).json.access_token)
  }
  let kept: Promise<string> | undefined
  /** The token of the CI job, which is valid for a quarter of an hour. */
  const tokenOfCi = () => {
    kept ??= newToken()
    return kept
  }
  const make = async (body: object = {}, of = 'shop', by?: string) =>
    call('POST', `/clients/${of}/previews`, {
      token: by ?? (await tokenOfCi()),
      body: { redirect_uri: previewUri(), ...body },
    })
  return {
    ...stage,
    tokenOfCi,
    newToken,
    make,
    /** Makes a preview, which must succeed. */
    async made(body: object = {}): Promise<Made> {
      const answer = await make(body)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.json as unknown as Made
    },
    /** Ends a preview as CI does. */
    async endPreview(uri = previewUri()) {
      const path = `/clients/shop/previews?redirect_uri=${encodeURIComponent(uri)}`
      return call('DELETE', path, { token: await tokenOfCi() })
    },
    /** The address of a sign-in at a preview. */
    requestTo: ({ client_id, redirect_uri }: Made, more: Record<string, string | undefined> = {}) =>
      requestUrl({ client_id, redirect_uri, ...more }),
    /** The tokens for the code that a browser left with. */
    redeemAt: ({ client_id, redirect_uri }: Made, found: Departure) =>
      token(codeRequest(String(found.told.get('code')), { client_id, redirect_uri })),
  }
}

/** Signs in at a preview for the first time, and agrees. */
export async function agreeAt(visitor: Visitor, url: string): Promise<Departure> {
  const consent = asPage(await signInOn(visitor, await visitor.page(url)))
  return asDeparture(await visitor.submit(consent, { decision: 'allow' }))
}
