import { AndFilter, EqualityFilter, type Filter, FilterParser } from 'ldapts'

/** What has a meaning in a filter, and NUL (RFC 4515 §3). */
const SPECIAL = /[\0()*\\]/g

/** Returns a value as a filter has it, so that it is nothing but a value. */
export function escapeValue(value: string): string {
  return value.replace(SPECIAL, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/**
 * Fills in a filter of the settings.
 * @param values by their names in braces
 * @throws Error if the filter is malformed
 */
export function filterOf(template: string, values: Readonly<Record<string, string>>): Filter {
  return parsed(template, (name) =>
    Object.hasOwn(values, name) ? escapeValue(values[name] ?? '') : undefined,
  )
}

/**
 * Returns the filter for the entry with an id, among all whom the filter of people lets in.
 * @throws Error if the filter is malformed
 */
export function filterOfId(template: string, attribute: string, value: string | Buffer): Filter {
  const anybody = parsed(template, () => '*')
  return new AndFilter({ filters: [anybody, new EqualityFilter({ attribute, value })] })
}

function parsed(template: string, valueFor: (name: string) => string | undefined): Filter {
  return FilterParser.parseString(
    template.replace(/\{(\w+)\}/g, (whole, name: string) => valueFor(name) ?? whole),
  )
}
