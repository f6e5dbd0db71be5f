import { type Html, html } from '../../pages/html.ts'
import { callbackOf } from '../../providers/callback.ts'
import { PROVIDER_PRESETS } from '../../providers/presets.ts'
import { actionOf } from '../action.ts'
import type { Desk } from '../desk.ts'
import { editAction } from '../edit.ts'
import { line } from '../pages/fields.ts'
import { panel } from '../pages/panel.ts'
import { facts, text } from '../pages/parts.ts'
import { segmentOf } from '../place.ts'
import { fieldsOf, patchOf } from '../record-form.ts'
import type { ConsoleAction } from '../rows.ts'
import { aboutRecord, removal } from './remove-record.ts'
import { SIMPLE, type SimpleRows } from './simple.ts'

function actionsOf(kind: SimpleRows): ConsoleAction[] {
  const { section, noun, path, id, id_label, id_hint, called, form: inputs } = kind
  const page: `/${string}/:${string}` = `${path}/:${id}`
  const newFields = () => fieldsOf(`create_${id}`).filter((field) => field.name !== id)
  const create: ConsoleAction = {
    path: `${path}/new`,
    operation: `create_${id}`,
    async ask(desk, { form }) {
      const fields = newFields()
      const typed = Object.keys(form).length === 0 ? {} : inputs.read(form, {}, fields)
      return {
        title: `Add ${noun}`,
        section,
        lead: html``,
        panels: await inputs.show(
          desk,
          fields,
          typed,
          line({ name: id, label: id_label, field: id, hint: id_hint, value: form[id], required: true }),
        ),
        ...(id === 'provider' && { aside: whatToRegister(desk) }),
        verb: `Add ${noun}`,
        back: path,
      }
    },
    async act(desk, { form }) {
      const named = (form[id] ?? '').trim()
      const fields = newFields()
      await desk.ask(`create_${id}`, {
        body: { ...patchOf(fields, {}, inputs.read(form, {}, fields)), [id]: named },
      })
      return { to: `${path}/${segmentOf(named)}`, done: 'created' }
    },
  }
  const remove = actionOf({
    section,
    back: page,
    path: `${page}/remove`,
    operation: `delete_${id}`,
    about: (desk, given) => aboutRecord(desk, given, kind),
    title: (_desk, _given, { name }) => `Remove ${name}?`,
    top: (desk, given) => removal(desk, given, id),
    typed: { what: id_label.toLowerCase(), read: `read_${id}` },
    verb: 'Remove',
    is_named: true,
    is_danger: true,
    to: path,
    done: 'removed',
  })
  const edit = editAction({
    section,
    noun,
    path: page,
    record: id,
    form: inputs,
    called,
  })
  return [create, edit, remove]
}

/** What a provider wants to know of this server, and where it is told. */
const whatToRegister = (desk: Desk): Html =>
  html`${panel(
    { title: 'Register this server there first' },
    html`<p>The provider asks where people come back to. With the name in addresses at the end:</p>
<pre tabindex="0">${callbackOf({ issuer: desk.issuer }, 'google')}</pre>
<p>It gives a client id and a secret: type them here.</p>`,
  )}${panel(
    { title: 'Where' },
    facts(
      Object.values(PROVIDER_PRESETS).flatMap(({ name, place }) =>
        name === undefined ? [] : [[name, text(place)] as const],
      ),
      'above',
    ),
  )}`

export const RECORD_ACTIONS: readonly ConsoleAction[] = SIMPLE.flatMap(actionsOf)
