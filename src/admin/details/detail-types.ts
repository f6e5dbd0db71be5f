import type { Hash } from '../../core/record-hash.ts'
import { DETAIL_TYPE } from '../../details/detail-type.ts'
import { DETAIL_TYPE_FIELDS, detailTypeProblem } from '../../details/detail-type-fields.ts'
import { findingsOf, type RecordFinding, unknownFields } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'
import { invalidField } from '../operation/problem.ts'
import { simpleOperations } from '../simple/simple-operations.ts'
import type { SimpleType } from '../simple/simple-type.ts'

/** Types of details, as operators see and set them. */
export const DETAIL_TYPES: SimpleType<typeof DETAIL_TYPE_FIELDS, 'detail_type'> = {
  name: 'type of details',
  kind: DETAIL_TYPE,
  table: DETAIL_TYPE_FIELDS,
  id: 'detail_type',
  read_only: ['managed_by'],
  idOf(name) {
    const problem = detailTypeProblem(name)
    if (problem === undefined) return name
    throw invalidField('detail_type', `detail_type ${problem}`)
  },
  async find({ records }, name) {
    const hash = (await records.read(DETAIL_TYPE, name))?.hash
    return hash && { id: name, hash }
  },
  base: () => ({}),
  rights: [],
  written: (detail_type) => ({ event: 'detail_type_changed', detail_type }),
  removed: (detail_type) => ({ event: 'detail_type_removed', detail_type }),
}

/** Returns the findings about one record; undefined: the key is not a hash. */
export function lintDetailType(detail_type: string, hash: Hash | undefined): RecordFinding<'detail_type'>[] {
  if (hash === undefined) return findingsOf({ detail_type }, [misfitProblem('type of details')], [])
  const parsed = DETAIL_TYPE.parse(hash, detail_type)
  if (!parsed.ok) return findingsOf({ detail_type }, parsed.problems, [])
  const { sentences } = parsed.record
  const warnings = unknownFields(hash, DETAIL_TYPE_FIELDS)
  if (!sentences.has('en'))
    warnings.push({
      field: 'text',
      problem: 'has no sentence in English (en): people whose language it lacks read the first one',
    })
  return findingsOf({ detail_type }, [], warnings)
}

/** What operators do with types of details. */
export const DETAIL_TYPE_OPERATIONS = simpleOperations(DETAIL_TYPES, {
  path: '/detail-types',
  article: 'a type of details',
  read: 'redmint:apis:read',
  write: 'redmint:apis:write',
  lint: lintDetailType,
})
