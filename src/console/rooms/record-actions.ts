import { html } from '../../pages/html.ts'
import { actionOf, lastOf } from '../action.ts'
import { editAction, recordFields } from '../edit.ts'
import { line } from '../pages/fields.ts'
import { at, badge, code, link, table, text } from '../pages/parts.ts'
import { segmentOf } from '../place.ts'
import { fieldsOf, patchOf } from '../record-form.ts'
import type { ConsoleAction } from '../rows.ts'
import { aboutRecord, removal } from './remove-record.ts'
import { SIMPLE, type SimpleRows } from './simple.ts'

function actionsOf({ section, noun, path, id, first }: SimpleRows): ConsoleAction[] {
  const page: `/${string}/:${string}` = `${path}/:${id}`
  const newFields = () => fieldsOf(`create_${id}`).filter(({ name }) => name !== id)
  const create: ConsoleAction = {
    path: `${path}/new`,
    operation: `create_${id}`,
    ask: async (_desk, { form }) => ({
      title: `Add ${noun}`,
      section,
      lead: html`<p>What is left empty has its default.</p>`,
      fields: html`${line({ name: id, label: id, value: form[id], required: true })}${recordFields(newFields(), form, first)}`,
      verb: 'Add',
      back: path,
    }),
    async act(desk, { form }) {
      const name = form[id] ?? ''
      await desk.ask(`create_${id}`, { body: { ...patchOf(newFields(), {}, form), [id]: name } })
      return { to: `${path}/${segmentOf(name)}`, done: 'created' }
    },
  }
  const remove = actionOf({
    section,
    back: page,
    path: `${page}/remove`,
    operation: `delete_${id}`,
    about: (desk, given) => aboutRecord(desk, given, { id, path }),
    title: (_desk, _given, { name }) => `Remove ${name}?`,
    top: (desk, given) => removal(desk, given, id),
    typed: { what: 'id', read: `read_${id}` },
    verb: 'Remove',
    is_named: true,
    is_danger: true,
    to: path,
    done: 'removed',
  })
  const edit = editAction({ section, noun, path: page, record: id, first })
  return [create, edit, remove]
}

const PROVIDER = '/providers/:provider'
const OF_PROVIDER = { section: 'providers', back: PROVIDER } as const

export const RECORD_ACTIONS: readonly ConsoleAction[] = [
  ...SIMPLE.flatMap(actionsOf),
  actionOf({
    ...OF_PROVIDER,
    path: `${PROVIDER}/secret`,
    operation: 'set_provider_secret',
    title: (_desk, given) => `Set the secret of ${lastOf(given)}`,
    lead: () =>
      html`<p>The secret that the provider gave redmint. It replaces the one there is, and is never shown.</p>`,
    fields: () => line({ name: 'client_secret', label: 'Secret', required: true }, 'password'),
    verb: 'Set the secret',
    asks: ({ form: { client_secret = '' } }) => ({ body: { client_secret } }),
    done: 'secret_set',
  }),
  actionOf({
    ...OF_PROVIDER,
    path: `${PROVIDER}/test`,
    operation: 'test_provider',
    title: (_desk, given) => `Test ${lastOf(given)}?`,
    lead: () =>
      html`<p>redmint asks the provider for its settings, and shows whether it takes the secret and the address to come back to. Nobody is signed in.</p>`,
    verb: 'Test',
    shows: (desk, given, { checks }) => ({
      title: `What the test of ${lastOf(given)} found`,
      body: html`${table(
        'Checks',
        ['About', 'Result', 'What it means'],
        checks.map(({ about, result, detail }) => [
          about,
          badge(result, result === 'ok' ? 'good' : result === 'wrong' ? 'bad' : 'plain'),
          text(detail),
        ]),
        'Nothing was checked.',
      )}
<p>${link(desk, at`/providers/${lastOf(given)}`, code(lastOf(given)))}</p>`,
    }),
  }),
]
