import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { PROVIDER_FIELDS } from '../../providers/provider-fields.ts'
import { type Provider, parseProvider } from '../../providers/provider-record.ts'
import { findingsOf, type RecordFinding, unknownFields } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'

/** Returns the errors and warnings for one record; undefined: the key is not a hash. */
export function lintProvider(provider: string, hash: Hash | undefined): RecordFinding<'provider'>[] {
  if (hash === undefined) return findingsOf({ provider }, [misfitProblem('provider')], [])
  const parsed = parseProvider(provider, hash)
  return findingsOf({ provider }, parsed.ok ? [] : parsed.problems, [
    ...unknownFields(hash, PROVIDER_FIELDS),
    ...(parsed.ok ? warnings(parsed.record) : []),
  ])
}

function warnings({ creates_users, email_domains, client_secret_sealed }: Provider): FieldProblem[] {
  return [
    ...(creates_users && email_domains.length === 0
      ? [
          {
            field: 'creates_users',
            problem: 'is true without email_domains: everybody with an account there gets one here',
          },
        ]
      : []),
    ...(client_secret_sealed === undefined
      ? [{ field: 'client_secret_sealed', problem: 'is missing: set it with redmint provider secret' }]
      : []),
  ]
}
