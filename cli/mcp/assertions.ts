import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { Calls } from '../calls.ts'
import { settingsAt } from './answers.ts'
import { issuingMetadataFindings, receivingMetadataFindings } from './assertion-metadata.ts'
import { issuingFindings } from './issuing-records.ts'
import type { AssertionParties } from './parties.ts'
import { receivingFindings } from './receiving-records.ts'

/**
 * Looks at both servers of an identity assertion: at what they say in public, and at the records of the one whose operator
 * asks.
 * @param calls operations at that server; undefined: none
 * @throws AdminError, and errors of `calls`
 */
export async function assertionFindings(
  parties: AssertionParties,
  calls: Calls | undefined,
): Promise<Finding[]> {
  const { assertions_from, issuer } = parties
  const { warning, problem } = findingsOf('sides')
  if (assertions_from === issuer)
    return [
      problem(
        `${issuer} would issue assertions for itself`,
        'Its own people sign in there: an assertion is for another server.',
      ),
    ]
  const said = [
    ...(await issuingMetadataFindings(assertions_from)),
    ...(await receivingMetadataFindings(issuer)),
  ]
  const advice = (side: string) => `Run the same command where ${side} is operated, or with --server ${side}`
  if (calls === undefined)
    return [
      ...said,
      warning('the records of neither side were read', `${advice(assertions_from)}, and at ${issuer}.`),
    ]
  const settings = await settingsAt(calls)
  const own = settings.get('issuer')
  if (own === assertions_from)
    return [
      ...said,
      ...(await issuingFindings(calls, parties, settings)),
      warning(`the records of ${issuer} were not read`, `${advice(issuer)}.`),
    ]
  if (own === issuer)
    return [
      ...said,
      ...(await receivingFindings(calls, parties, settings)),
      warning(`the records of ${assertions_from} were not read`, `${advice(assertions_from)}.`),
    ]
  return [
    ...said,
    warning(
      `the records are those of ${own}, which is neither ${assertions_from} nor ${issuer}`,
      `${advice(assertions_from)}, and at ${issuer}.`,
    ),
  ]
}
