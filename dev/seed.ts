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
  const content = typeof seed === 'string' ? seed : JSON.stringify({ label: LABEL, ...seed })
  const declaration = await readDeclaration(content, environment)
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
