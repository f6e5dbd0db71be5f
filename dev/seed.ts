import { applyDeclaration } from '../cli/apply/apply.ts'
import { readDeclaration } from '../cli/apply/declaration.ts'
import type { Calls } from '../cli/calls.ts'

/** Clients, people, APIs and what else `redmint apply` reads. */
export interface Seed {
  readonly clients?: readonly object[]
  readonly users?: readonly object[]
  readonly resources?: readonly object[]
  readonly detail_types?: readonly object[]
  readonly issuers?: readonly object[]
  readonly applications?: readonly object[]
  readonly providers?: readonly object[]
}

// What an object in a test need not say.
const LABEL = 'redmint-dev'
const SECRETS: readonly string[] = ['client_secret', 'password']

/**
 * Writes what a seed declares.
 * @param seed an object, or the text of a file for `redmint apply`
 * @param environment the variables to which secrets may refer
 * @throws Refusal that lists every problem
 */
export async function applySeed(
  calls: Calls,
  seed: Seed | string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { content, secrets } = typeof seed === 'string' ? { content: seed, secrets: {} } : contentOf(seed)
  const declaration = await readDeclaration(content, { ...environment, ...secrets })
  const silent = { at() {}, end() {} }
  await applyDeclaration(
    calls,
    declaration,
    {},
    {
      confirm: async () => true,
      progress: () => silent,
      // Nobody else uses its storage.
      wait: async () => undefined,
    },
  )
}

/** Returns an object as the text of a file, to which secrets are given as to a file that is committed: by reference. */
function contentOf(seed: Seed): {
  readonly content: string
  readonly secrets: Readonly<Record<string, string>>
} {
  const secrets: Record<string, string> = {}
  const content = JSON.stringify({ label: LABEL, ...seed }, (key: string, value: unknown) => {
    if (typeof value !== 'string' || !SECRETS.includes(key)) return value
    const name = `${key} ${Object.keys(secrets).length}`
    secrets[name] = value
    return { env: name }
  })
  return { content, secrets }
}
