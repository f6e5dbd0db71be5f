import { Type } from '@sinclair/typebox'
import { parseClient } from '../../clients/record/client-record.ts'
import { present } from '../../core/present.ts'
import { PRESET_NAMES } from '../connect/presets.ts'
import { originIn, settingsOf } from '../connect/settings.ts'
import { rightsOfClient } from '../holders.ts'
import { FindingAnswer, shownFinding } from '../operation/findings.ts'
import { byName, operation } from '../operation/operation.ts'
import { AdminError, invalidField } from '../operation/problem.ts'
import { CLIENT_ID, ClientAnswer } from './given.ts'
import { lintStored, othersOf } from './lint.ts'
import { describeClient, readClient } from './record-type.ts'
import { MIN_SECRET_LENGTH } from './secret.ts'
import { endOldSecret, MAX_KEPT, rotateSecret } from './secrets.ts'

const READ = 'redmint:clients:read'
const WRITE = 'redmint:clients:write'
const path = '/clients/:client_id'

const RotatedAnswer = Type.Object({
  client_id: Type.String(),
  client_secret: Type.Optional(Type.String()),
  old_secret_ends_at: Type.Optional(Type.String()),
})

const rotate = operation({
  name: 'rotate_client_secret',
  summary: 'Give a client a new secret, which is shown once if it was generated',
  method: 'POST',
  path: `${path}/secrets`,
  scope: WRITE,
  params: CLIENT_ID,
  body: Type.Object(
    {
      client_secret: Type.Optional(
        Type.String({ description: `at least ${MIN_SECRET_LENGTH} characters; absent: it is generated` }),
      ),
      keep_old_for: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_KEPT,
          description: 'for how many seconds the old secret is accepted besides; absent: not at all',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: RotatedAnswer,
  needs: { creates: true },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, body: { client_secret: given, keep_old_for = 0 } }) {
    const rotated = await rotateSecret(context, client_id, given, keep_old_for)
    const { stored, client_secret, old_secret_ends_at } = rotated
    return { body: present({ client_id, client_secret, old_secret_ends_at }), stored }
  },
})

const endOld = operation({
  name: 'end_old_client_secret',
  summary: 'End the old secret of a client; the present one stays valid',
  method: 'DELETE',
  path: `${path}/secrets/old`,
  scope: WRITE,
  params: CLIENT_ID,
  answer: ClientAnswer,
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id } }) {
    const stored = await endOldSecret(context, client_id)
    return { body: describeClient(client_id, stored), stored }
  },
})

const LintAnswer = Type.Object({ findings: Type.Array(FindingAnswer) })

const lint = operation({
  name: 'lint_client',
  summary: 'Find errors and likely mistakes in a client',
  method: 'GET',
  path: `${path}/lint`,
  scope: READ,
  params: CLIENT_ID,
  answer: LintAnswer,
  async run(context, { params: { client_id } }) {
    const { storage, settings, now } = context
    const stored = await readClient(storage, client_id)
    const others = othersOf(context, client_id)
    const found = await lintStored(storage, client_id, stored, settings, now(), others)
    return { body: { findings: found.map(shownFinding) } }
  },
})

const settings = operation({
  name: 'client_settings',
  summary: 'The settings of a framework for a client, to paste. Its secret is not known and left out',
  method: 'GET',
  path: `${path}/settings`,
  scope: READ,
  params: CLIENT_ID,
  query: Type.Object({
    for: Type.String({ enum: [...PRESET_NAMES] }),
    origin: Type.Optional(
      Type.String({
        description:
          'the address of the application, which an API needs; absent: that of its first redirect URI',
      }),
    ),
  }),
  answer: Type.Object({
    settings: Type.Array(
      Type.Object({
        file: Type.String(),
        language: Type.String(),
        text: Type.String(),
        use: Type.Optional(Type.String()),
        run: Type.Optional(Type.String()),
      }),
    ),
  }),
  async run({ storage, settings: { issuer } }, { params: { client_id }, query }) {
    const parsed = parseClient(client_id, await readClient(storage, client_id))
    if (!parsed.ok) throw new AdminError('conflict', `The client "${client_id}" is malformed.`)
    const name = PRESET_NAMES.find((known) => known === query.for)
    if (name === undefined) throw invalidField('for', `for must be ${PRESET_NAMES.join(' or ')}`)
    const origin = query.origin === undefined ? undefined : originIn(query.origin)
    if (query.origin !== undefined && origin === undefined) {
      throw invalidField('origin', 'origin must be a URL without a path, such as https://app.example.com')
    }
    const connected = { issuer, client: parsed.record, client_secret: undefined, origin }
    return { body: { settings: settingsOf(name, connected).map((file) => ({ ...file })) } }
  },
})

/** What operators do with the secrets of a client, and what they ask about it. */
export const SECRET_OPERATIONS = byName(rotate, endOld, lint, settings)
