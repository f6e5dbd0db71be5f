import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { checkInput } from '../operation/check-input.ts'
import type { Operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

const PAGE = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Items of a page; default: ${DEFAULT_LIMIT}`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: '`next` of the page before' }),
  ),
}
const DRY_RUN = {
  dry_run: Type.Optional(Type.Boolean({ description: 'Answer the difference, and write nothing' })),
}

/** Returns the schema of all parameters in the query of an operation. */
export function querySchema({ query, needs }: Pick<Operation, 'query' | 'needs'>): TObject {
  return Type.Object(
    { ...query?.properties, ...(needs?.page && PAGE), ...(needs?.dry_run && DRY_RUN) },
    { additionalProperties: false },
  )
}

/** The parameters of a request. */
export interface ReadQuery {
  /** Those of the operation itself. */
  readonly query: Readonly<Record<string, unknown>>
  readonly limit: number
  readonly cursor: string | undefined
  readonly dry_run: boolean
}

/**
 * Reads the query of a request.
 * @param encoded without the question mark
 * @throws AdminError `invalid_request` for what is unknown, repeated or cannot have its value
 */
export function readQuery(operation: Pick<Operation, 'query' | 'needs'>, encoded: string): ReadQuery {
  const schema = querySchema(operation)
  const given: Record<string, unknown> = Object.create(null)
  for (const [name, value] of pairsOf(encoded)) {
    if (name in given) throw new AdminError('invalid_request', `The parameter ${name} is given twice.`)
    const property: TSchema | undefined = Object.hasOwn(schema.properties, name)
      ? schema.properties[name]
      : undefined
    given[name] = property === undefined ? value : fromText(property, value)
  }
  checkInput(schema, { ...given }, { code: 'invalid_request' })
  const { limit = DEFAULT_LIMIT, cursor, dry_run = false, ...query } = given
  return { query, limit: Number(limit), cursor: cursor as string | undefined, dry_run: dry_run === true }
}

function pairsOf(encoded: string): [name: string, value: string][] {
  try {
    // URLSearchParams would replace what is misencoded.
    decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    throw new AdminError('invalid_request', 'The query is not valid percent-encoded UTF-8.')
  }
  return [...new URLSearchParams(encoded)]
}

function fromText({ type }: TSchema, text: string): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}
