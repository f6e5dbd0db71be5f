import type { AnswerOf } from '../../admin/operations.ts'
import { html } from '../../pages/html.ts'
import { actionOf, lastOf } from '../action.ts'
import { acts } from '../pages/actions.ts'
import { type Step, steps } from '../pages/consequence.ts'
import { line } from '../pages/fields.ts'
import { sheet } from '../pages/panel.ts'
import { at, text } from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'

type Check = AnswerOf<'test_provider'>['checks'][number]

const PROVIDER = '/providers/:provider'
const OF_PROVIDER = { section: 'providers', back: PROVIDER } as const

/** What is looked at, in words. */
const ABOUT: Readonly<Record<Check['about'], string>> = {
  discovery: 'Its description',
  keys: 'Its keys',
  callback: 'The address to come back to',
  secret: 'The secret',
  groups: 'Groups',
}

const KINDS: Readonly<Record<Check['result'], Step['kind']>> = {
  ok: 'stays',
  wrong: 'stops',
  unknown: 'next',
}

/** What a test found, as a title. */
function foundTitle(provider: string, checks: readonly Check[]): string {
  const wrong = checks.filter(({ result }) => result === 'wrong').length
  if (wrong > 0) return `${wrong === 1 ? '1 thing is' : `${String(wrong)} things are`} wrong with ${provider}`
  return checks.some(({ result }) => result === 'unknown')
    ? `Nothing is wrong with ${provider}, as far as it says`
    : `${provider} works`
}

const test = actionOf({
  ...OF_PROVIDER,
  path: `${PROVIDER}/test`,
  operation: 'test_provider',
  title: (_desk, given) => `Test ${lastOf(given)}?`,
  lead: () =>
    html`<p>redmint asks the provider for its settings, and shows whether it takes the secret and the address to come back to. Nobody is signed in.</p>`,
  verb: 'Test',
  shows: (desk, given, { checks }) => {
    const name = lastOf(given)
    const page = at`/providers/${name}`
    return {
      title: foundTitle(name, checks),
      head: {
        path: [['Providers', '/providers'], [name, page], ['Test']],
        actions: acts(desk, [
          { path: page, label: 'To the provider' },
          { path: `${page}/test`, label: 'Test again', operation: 'test_provider' },
          ...(checks.some(({ result }) => result === 'wrong')
            ? [{ path: `${page}/edit`, label: 'Edit', operation: 'change_provider', is_main: true } as const]
            : []),
        ]),
      },
      body: sheet(
        steps(
          checks.map(({ about, result, detail }) => ({
            kind: KINDS[result],
            says: html`<b>${ABOUT[about]}</b>${result === 'unknown' ? ' is not said before somebody signs in' : ''}<br>${text(detail)}`,
          })),
        ),
      ),
    }
  },
})

const secret = actionOf({
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
})

export const PROVIDER_ACTIONS: readonly ConsoleAction[] = [secret, test]
