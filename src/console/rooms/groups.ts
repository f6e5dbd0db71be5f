import { html } from '../../pages/html.ts'
import { at, link, older, part, short, table, text } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import type { Application } from './applications.ts'
import type { Person } from './people.ts'

/** Groups are claims of people: what there is to see of them is what they open, and who has rights here. */
const groups: ConsolePage = {
  path: '/groups',
  operation: 'list_clients',
  async show(desk, { query: { cursor } }) {
    const [{ body }, administrators] = await Promise.all([
      desk.ask<{ items: readonly Application[]; next?: string }>('list_clients', { query: { cursor } }),
      desk.may('list_users')
        ? desk.ask<{ items: readonly Person[] }>('list_users', { query: { admin: 'true' } })
        : undefined,
    ])
    const opened = new Map<string, string[]>()
    for (const { client_id, allowed_groups = [] } of body.items)
      for (const group of allowed_groups) opened.set(group, [...(opened.get(group) ?? []), client_id])
    const rows = [...opened]
      .sort()
      .map(([group, clients]) => [
        short(group),
        html`<ul>${clients.map((id) => html`<li>${link(desk, at`/applications/${id}`, short(id))}</li>`)}</ul>`,
      ])
    const admins = administrators?.body.items.map(({ username, admin = [] }) => [
      link(desk, at`/people/${username}`, short(username)),
      text(admin.join(' ')),
    ])
    return {
      title: 'Groups',
      section: 'groups',
      body: html`${part(
        'Applications that only some groups may use',
        html`${table('Groups, and what they open', ['Group', 'Applications'], rows, 'Of these applications, everybody may use each. Set allowed_groups of one to change that.')}
${older(desk, '/groups', {}, body.next)}`,
      )}
${admins === undefined ? '' : part('Administrators', table('People with rights here', ['Person', 'Rights'], admins, 'No person has rights: only clients and the command do.'))}`,
    }
  },
}

export const GROUP_PAGES: readonly ConsolePage[] = [groups]
