import { parseJson } from './json.ts'

/** The value of a JSON text, or why it is refused, as text that completes "The JSON …". */
export type StrictJson = { readonly value: unknown } | { readonly problem: string }

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * Parses JSON in which no object has a member twice (RFC 8259 §4: others may read the other one), and which is nested at
 * most `max_depth` deep.
 */
export function parseStrictJson(json: string, max_depth: number): StrictJson {
  const value = parseJson(json)
  if (value === undefined) return { problem: 'cannot be parsed' }
  // The names of the objects around; undefined for an array.
  const around: (Set<string> | undefined)[] = []
  let is_name = false
  for (const [token] of json.matchAll(TOKEN)) {
    const names = around.at(-1)
    if (token === '{' || token === '[') {
      around.push(token === '{' ? new Set() : undefined)
      if (around.length > max_depth) return { problem: `is nested more than ${max_depth} deep` }
    } else if (token === '}' || token === ']') around.pop()
    else if (is_name && names !== undefined && token.startsWith('"')) {
      const name: string = JSON.parse(token)
      if (names.has(name)) return { problem: `has the member ${token} twice` }
      names.add(name)
    }
    is_name = token === '{' || (token === ',' && around.at(-1) !== undefined)
  }
  return { value }
}
