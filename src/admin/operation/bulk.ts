import { type TSchema, Type } from '@sinclair/typebox'
import { StorageUnavailable } from '../../storage/errors.ts'
import { checkInput } from './check-input.ts'
import { type Operation, operation } from './operation.ts'
import { AdminError, Problem, problemOf } from './problem.ts'

const MAX_ITEMS = 100
const BULK_BODY_LIMIT = 1024 * 1024

/**
 * Returns the operation that does a creating one for each of many items: each has a result of its own, and nothing of an
 * item that fails is written.
 */
export function inBulk<const Name extends string>(
  name: Name,
  path: `/${string}`,
  summary: string,
  single: Operation,
) {
  const { body: item = Type.Object({}), needs } = single
  const Result = Type.Object(
    {
      status: Type.Integer({ description: '201, or the status of the problem' }),
      item: Type.Optional(single.answer),
      problem: Type.Optional(Problem),
    },
    { description: 'The result of one item' },
  )
  return operation({
    name,
    summary,
    method: 'POST',
    path,
    scope: single.scope,
    // Each item is checked by itself.
    body: Type.Object(
      { items: Type.Array(described(item), { minItems: 1, maxItems: MAX_ITEMS }) },
      { additionalProperties: false },
    ),
    answer: Type.Object({ results: Type.Array(Result) }),
    needs: { ...(needs?.creates && { creates: true }), body_limit: BULK_BODY_LIMIT },
    async run(context, { body }) {
      const results = []
      for (const item_body of body.items as readonly unknown[]) {
        results.push(
          await resultOf(
            item,
            () => single.run(context, { params: {}, query: {}, body: item_body }),
            item_body,
          ),
        )
      }
      return { body: { results } }
    },
  })
}

/** A schema that the door does not check: `bulk` checks each item. */
function described(item: TSchema): TSchema {
  return Type.Object(
    {},
    {
      additionalProperties: true,
      description: `As the body of one: ${Object.keys(item.properties ?? {}).join(', ')}`,
    },
  )
}

async function resultOf(schema: TSchema, run: () => ReturnType<Operation['run']>, body: unknown) {
  try {
    checkInput(schema, body)
    const outcome = await run()
    return { status: 201, item: 'body' in outcome ? outcome.body : undefined }
  } catch (error) {
    // What is written is written: the others say for themselves how they fared.
    const refusal =
      error instanceof StorageUnavailable
        ? new AdminError('unavailable', 'Storage cannot answer: it may be written or not.')
        : error
    if (!(refusal instanceof AdminError)) throw error
    const problem = problemOf(refusal)
    return { status: problem.status, problem }
  }
}
