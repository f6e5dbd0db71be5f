// The errors of those who say from outside that something of a person is over.
import { insufficientScope } from './bearer-errors.ts'
import { invalidRequest, type OAuthError } from './errors.ts'

/** What a scope must be to end everything of people (draft-parecki-oauth-global-token-revocation §7.1). */
export const GLOBAL_REVOCATION_SCOPE = 'global_token_revocation'

/** Somebody is signed in with the token: the right to others is that of a client (draft-parecki §7.1). */
export const revocationByPerson = (): OAuthError =>
  insufficientScope(GLOBAL_REVOCATION_SCOPE, undefined, {
    received: { grant: 'of a person' },
    expected: { grant: 'client_credentials' },
  })

/** The body does not say whom it means (draft-parecki §3.5.2). */
export const revocationSubjectMalformed = (description: string): OAuthError =>
  invalidRequest('revocation_subject_malformed', description, {
    received: { sub_id: 'malformed' },
    expected: { formats: ['iss_sub', 'email', 'opaque'] },
  })

/** Nobody here is meant, or several are (draft-parecki §3.5.2). */
export const revocationSubjectUnknown = (): OAuthError =>
  invalidRequest('revocation_subject_unknown', 'No account is the one that sub_id names.', {
    status: 404,
    received: { accounts: 'none' },
    expected: { accounts: 1 },
  })
