/** What a request says about its DPoP proofs: a request of node:http, Express or Fastify. */
export interface ProofRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Names and values in turn. Without it, repeated headers are one text, which is not a valid proof. */
  readonly rawHeaders?: readonly string[]
}

const NONE: readonly string[] = []
const DPOP = 'dpop'

/** Returns the values of the DPoP headers of a request; more than one must be refused (RFC 9449 §4.3). */
export function proofsOf({ headers: { dpop }, rawHeaders = NONE }: ProofRequest): readonly string[] {
  if (dpop === undefined) return NONE
  const found = rawHeaders.filter((_, index) => index % 2 === 1 && isProof(rawHeaders[index - 1]))
  return found.length > 0 ? found : [dpop].flat()
}

const isProof = (name: string | undefined) => name?.length === DPOP.length && name.toLowerCase() === DPOP
