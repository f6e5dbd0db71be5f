import { type Static, Type } from '@sinclair/typebox'
import { freePlace, placesOf } from '../../clients/previews/places.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { PREVIEWS } from '../../core/admin-scopes.ts'
import type { ClientId } from '../../core/ids.ts'
import { scopeNames } from '../../core/scope.ts'
import { CLIENT_ID } from '../clients/given.ts'
import { readClient } from '../clients/record-type.ts'
import { removeClient } from '../clients/state.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { AdminError, notFound } from '../operation/problem.ts'
import { PREVIEW_LIVES } from './lives.ts'
import { makePreview } from './make.ts'
import { assertMaker } from './original.ts'

const path = '/clients/:client_id/previews'
const RedirectUri = Type.String({ minLength: 1, maxLength: 2048 })

const Preview = Type.Object({
  client_id: Type.String({ description: 'That of the preview, with which it signs people in' }),
  redirect_uri: Type.String(),
  lapses_at: Type.String({ format: 'date-time' }),
  state: Type.String({ enum: ['active', 'disabled'] }),
})

const MadeAnswer = Type.Object({
  ...Preview.properties,
  preview_of: Type.String(),
  scope: Type.String({ description: 'What it may ask for at most' }),
  issuer: Type.String(),
  renewed: Type.Boolean({ description: 'Whether it was there before, and has kept its client_id' }),
})

const make = operation({
  name: 'make_preview',
  summary:
    'Make a client of its own for a preview of a client, which lapses; again with the same redirect URI: let that one live on',
  method: 'POST',
  path,
  scope: PREVIEWS,
  params: CLIENT_ID,
  body: Type.Object(
    {
      redirect_uri: RedirectUri,
      lives: Type.Optional(
        Type.Integer({
          minimum: PREVIEW_LIVES.minimum,
          maximum: PREVIEW_LIVES.maximum,
          description: 'seconds; default: three days',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: MadeAnswer,
  async run(context, { params, body: { redirect_uri, lives = PREVIEW_LIVES.default } }) {
    const { client_id, hash, was_there } = await makePreview(context, params.client_id, {
      redirect_uri,
      lives,
    })
    const { lapses_at = '', allowed_scopes = '' } = hash
    const stored = await readClient(context.storage, client_id)
    return {
      body: {
        client_id,
        redirect_uri,
        lapses_at,
        state: stateOf(stored.disabled),
        preview_of: params.client_id,
        scope: scopeNames(allowed_scopes).join(' '),
        issuer: context.settings.issuer,
        renewed: was_there,
      },
    }
  },
})

const list = operation({
  name: 'list_previews',
  summary: 'List the previews of a client that are alive',
  method: 'GET',
  path,
  scope: 'redmint:clients:read',
  params: CLIENT_ID,
  answer: Type.Object({ items: Type.Array(Preview) }),
  async run(context, { params }) {
    await readClient(context.storage, params.client_id)
    return { body: { items: await listPreviews(context, params.client_id) } }
  },
})

/** Returns the previews of a client that are alive, those that lapse first in front. @throws StorageUnavailable */
async function listPreviews(
  { storage, now }: AdminContext,
  original: ClientId,
): Promise<Static<typeof Preview>[]> {
  const places = await placesOf(storage, original)
  const shown = [...places].map(async ([redirect_uri, { client_id, ends }]) => {
    const stored = now() < ends ? (await storage.records.read(CLIENT, client_id))?.hash : undefined
    if (stored === undefined) return []
    return [
      { client_id, redirect_uri, lapses_at: new Date(ends).toISOString(), state: stateOf(stored.disabled) },
    ]
  })
  return (await Promise.all(shown)).flat().sort((one, other) => (one.lapses_at < other.lapses_at ? -1 : 1))
}

const stateOf = (disabled: string | undefined) => (disabled === 'true' ? 'disabled' : 'active')

const end = operation({
  name: 'end_preview',
  summary:
    'End the preview of a client that has a redirect URI, with all its tokens; its client_id is not given again',
  method: 'DELETE',
  path,
  scope: PREVIEWS,
  params: CLIENT_ID,
  query: Type.Object({ redirect_uri: RedirectUri }),
  answer: Type.Object({ client_id: Type.String(), removed: Type.Boolean() }),
  async run(context, { params, query: { redirect_uri } }) {
    await assertMaker(context, params.client_id)
    const preview = (await placesOf(context.storage, params.client_id)).get(redirect_uri)
    if (preview === undefined || !(context.now() < preview.ends)) throw notFound('preview', redirect_uri)
    const { client_id } = preview
    try {
      await removeClient(context, client_id)
    } catch (error) {
      if (!(error instanceof AdminError && error.code === 'not_found')) throw error
      await freePlace(context.storage, params.client_id, client_id)
    }
    return { body: { client_id, removed: true } }
  },
})

/** What CI jobs and operators do with previews of clients. */
export const PREVIEW_OPERATIONS = byName(make, list, end)
