import { resourceKey } from '../core/resource-uri.ts'

/**
 * Returns a function that says whether the `aud` of a token (RFC 7519 §4.1.3) names one of these audiences. Resource
 * identifiers are compared by their normalised form; any other audience must be equal.
 */
export function audienceCheck(accepted: readonly string[]): (aud: unknown) => boolean {
  const exact = new Set(accepted)
  const normalised = new Set(accepted.map(formOf))
  const names = (audience: unknown) =>
    typeof audience === 'string' && (exact.has(audience) || normalised.has(formOf(audience)))
  return (aud) => (Array.isArray(aud) ? aud.some(names) : names(aud))
}

const formOf = (audience: string) => resourceKey(audience) ?? audience
