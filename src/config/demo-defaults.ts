import { issuerPath } from '../core/paths.ts'
import type { Settings } from './settings.ts'

/** The links of the pages that demo mode fills, by the last part of the address of a page that stands for them. */
export const DEMO_LINKS = {
  help: 'help_url',
  privacy: 'privacy_url',
  terms: 'terms_url',
  imprint: 'imprint_url',
} as const satisfies Readonly<Record<string, keyof Settings>>

/** Where those pages are, below the issuer. */
export const DEMO_LINK_PATH = '/demo/link'

const BRAND = { service_name: 'Wonderland', accent_color: '#5b3fd6' }

const SCOPE_TEXTS = new Map([
  [
    'api.read',
    new Map([
      ['en', 'Read from the demo API'],
      ['de', 'Daten der Demo-API lesen'],
    ]),
  ],
])

/**
 * Returns what demo mode sets of the look of the pages, so that newcomers see them as those of a product.
 * @param given the names of the variables that are set: what the operator chose stays
 */
export function demoDefaults(
  { demo, issuer }: Pick<Settings, 'demo' | 'issuer'>,
  given: (variable: string) => boolean,
): Partial<Settings> {
  if (demo === false) return {}
  const links = Object.entries(DEMO_LINKS).map(([name, field]) => [
    field,
    `${issuerPath(issuer)}${DEMO_LINK_PATH}/${name}`,
  ])
  const all: Partial<Settings> = { ...BRAND, scope_texts: SCOPE_TEXTS, ...Object.fromEntries(links) }
  return Object.fromEntries(Object.entries(all).filter(([field]) => !given(field.toUpperCase())))
}
