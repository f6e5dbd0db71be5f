import { CODE_FACTS, GRANT_FACTS, SIGN_IN_FIELDS } from '../../families.ts'

/** What a grant record notes of the spending of a refresh token, besides what each spending has. */
const FURTHER_SPENDING = [
  'spent_scope',
  'spent_resource',
  'spent_details',
  'spent_jkt',
  'spent_x5t#S256',
  'spent_until',
  'spent_bound',
  'retried',
] as const

/** The lists of field names that scripts use. A script names them in its header: `-- fields: NAME, …`. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  CODE_FACTS,
  GRANT_FACTS,
  SIGN_IN_FIELDS,
  FURTHER_SPENDING,
  // What a refresh with a live token reads of the grant record.
  SPENDING_FIELDS: [...GRANT_FACTS, 'status', ...FURTHER_SPENDING],
}

const HEADER = /^-- fields: (.*)\n/gm

/**
 * Returns a script's text with a local for each list of fields in place of its headers.
 * @throws TypeError for an unknown one
 */
export function withFields(lua: string): string {
  const names = new Set([...lua.matchAll(HEADER)].flatMap(([, line = '']) => line.split(', ')))
  const locals = [...names].map((name) => {
    const fields = FIELDS[name]
    if (fields === undefined) throw new TypeError(`not a list of fields: ${name}`)
    return `local ${name} = { ${fields.map((field) => `'${field}'`).join(', ')} }\n`
  })
  return locals.join('') + lua.replace(HEADER, '')
}
