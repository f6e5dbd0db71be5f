import { signedBy } from '../forge.ts'
import type { MadeJwt, Meddler } from './meddler.ts'

export type Told = readonly (readonly [name: string, value: string])[]

/** An answer of the issuer on its way to the relying party: in the query, or as a form (`response_mode=form_post`). */
export interface IssuerAnswer {
  readonly address: string
  /** As they are sent. */
  readonly parameters: Told
  readonly method: 'GET' | 'POST'
}

/** An answer cannot be changed in this way. */
export class Unchangeable extends Error {
  override readonly name = 'Unchangeable'
}

/** Returns what an answer says: its parameters, or those in the JWT of a signed one (JARM §2.1). Of an encrypted one, nothing. */
export function toldBy(answer: IssuerAnswer, meddler: Pick<Meddler, 'made'>): ReadonlyMap<string, string> {
  const response = responseIn(answer)
  if (response === undefined) return new Map(answer.parameters)
  const made = meddler.made(response)
  return new Map(made && toldIn(made))
}

/** Returns an answer that says something else, signed as before. @throws Unchangeable */
export function changedAnswer(
  answer: IssuerAnswer,
  meddler: Pick<Meddler, 'made'>,
  change: (told: Told) => Told,
): IssuerAnswer {
  if (responseIn(answer) === undefined) return { ...answer, parameters: change(answer.parameters) }
  return withResponse(answer, meddler, (made) => {
    const told = toldIn(made)
    const changed = change(told)
    if (new Set(changed.map(([name]) => name)).size < changed.length)
      throw new Unchangeable('A signed answer cannot have a parameter twice.')
    const others = Object.entries(made.claims).filter(([name]) => !told.some(([of]) => of === name))
    const claims = Object.fromEntries([...others, ...changed])
    return signedBy(made.signer, { header: made.header, claims })
  })
}

/**
 * Returns a signed answer with another JWT.
 * @param change undefined: what it says is sent without a signature
 * @throws Unchangeable if it is encrypted
 */
export function withResponse(
  answer: IssuerAnswer,
  meddler: Pick<Meddler, 'made'>,
  change: (made: MadeJwt) => string | undefined,
): IssuerAnswer {
  const made = meddler.made(responseIn(answer) ?? '')
  if (made === undefined) throw new Unchangeable('The client gets answers that are encrypted.')
  const response = change(made)
  return { ...answer, parameters: response === undefined ? toldIn(made) : [['response', response]] }
}

const responseIn = ({ parameters }: IssuerAnswer) => new Map(parameters).get('response')

// Its audience is no parameter.
const toldIn = ({ claims }: Pick<MadeJwt, 'claims'>): Told =>
  Object.entries(claims).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'aud' ? [[name, value] as const] : [],
  )
