import type { Preset, SettingsFile } from '../../admin/connect/preset.ts'
import { PRESET_NAMES, PRESETS } from '../../admin/connect/presets.ts'
import { SHELL } from '../../admin/connect/settings.ts'
import { AdminError } from '../../admin/operation/problem.ts'
import { type Html, html } from '../../pages/html.ts'
import { applicationName } from '../called.ts'
import { actingTrees, mayAct } from '../pages/acting.ts'
import { allowedText } from '../pages/detail-chips.ts'
import { choice, filters, line } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { at, offers, older, personLink, table, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { applicationTabs } from './application-tabs.ts'

const grants: ConsolePage = {
  path: '/applications/:client_id/grants',
  operation: 'list_grants_of_client',
  async show(desk, { params, query: { cursor } }) {
    const { client_id = '' } = params
    const asked = { params: { client_id }, query: { cursor } }
    const [{ body }, name] = await Promise.all([
      desk.ask('list_grants_of_client', asked),
      applicationName(desk, client_id),
    ])
    const rows = body.items.map(({ username, scope, authorization_details, started_at, last_used_at }) => [
      username === undefined ? 'itself' : personLink(desk, username),
      allowedText(scope, authorization_details),
      when(started_at, desk),
      when(last_used_at ?? started_at, desk),
    ])
    const is_acted_by = mayAct(body.items, desk.now)
    const acting = is_acted_by ? (await desk.ask('list_acting_from_client', asked)).body.items : []
    return {
      title: `People with access by ${name}`,
      section: 'applications',
      body: html`${applicationTabs(desk, client_id, '/grants')}${table(
        'Sign-ins, with their tokens',
        ['Person', 'Scope', 'Since', 'Last used'],
        rows,
        'Nobody has access now.',
      )}
${acting.length === 0 ? '' : panel({ title: 'Who acts for these people' }, actingTrees(desk, acting))}${older(desk, at`/applications/${client_id}/grants`, {}, body.next)}
${offers(desk, [{ label: 'End all sign-ins', path: at`/applications/${client_id}/end-grants`, operation: 'end_grants_of_client' }], 'redmint:clients:write')}`,
    }
  },
}

/** Files to paste, in the order in which they are made. */
export const settingsPanels = (files: readonly SettingsFile[]): Html =>
  html`${files.map(({ file, text: contents, use, run }, i) =>
    panel(
      {
        title: `${i + 1}. ${file === SHELL ? 'Install' : file}`,
        ...(use !== undefined && {
          lead: file === SHELL ? 'In a shell, in an empty folder.' : `Use it ${use}.`,
        }),
        ...(run !== undefined && { foot: html`<span>Run it by <code>${run}</code></span>` }),
      },
      html`<pre tabindex="0">${text(contents, 20_000)}</pre>`,
    ),
  )}`

const settings: ConsolePage = {
  path: '/applications/:client_id/settings',
  operation: 'client_settings',
  async show(desk, { params, query }) {
    const { client_id = '' } = params
    const chosen = PRESET_NAMES.find((name) => name === query.for)
    const { origin = '' } = query
    const asked = { params: { client_id }, query: { for: chosen, ...(origin !== '' && { origin }) } }
    const [found, name] = await Promise.all([
      chosen && desk.ask('client_settings', asked).catch(refusalOf),
      applicationName(desk, client_id),
    ])
    const path = at`/applications/${client_id}/settings`
    const preset: Preset | undefined = chosen && PRESETS[chosen]
    const refusal = typeof found === 'string' ? found : undefined
    return {
      title: `Settings of ${name} to paste`,
      section: 'applications',
      body: html`${applicationTabs(desk, client_id, '/settings')}${filters(
        `${desk.base}${path}`,
        html`${choice(
          { name: 'for', label: 'For', value: chosen ?? PRESET_NAMES[0] },
          PRESET_NAMES.map((name) => [name, PRESETS[name].title]),
        )}${preset?.is_api ? line({ name: 'origin', label: 'Where it runs', value: origin }, 'url') : ''}`,
      )}
${refusal === undefined ? '' : notice('warn', text(refusal))}${typeof found === 'object' ? settingsPanels(found.body.settings) : ''}
<p class="empty">The secret is not in them: nobody can read it. Make a new one if it is lost.</p>`,
    }
  },
}

/** What is wrong with what was typed, in a sentence. @throws any other error */
function refusalOf(error: unknown): string {
  if (error instanceof AdminError && error.code === 'invalid_field') return error.message
  throw error
}

export const APPLICATION_ACCESS_PAGES: readonly ConsolePage[] = [grants, settings]
